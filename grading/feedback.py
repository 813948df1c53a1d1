"""Feedback as HTML, by nbgrader, and as Markdown; on an exam it waits until the last student has finished."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbgrader import api
from nbgrader.converters.base import NbGraderException

from grading.course import Course, CourseError, find_course, load_plan
from grading.export import FeedbackGrades, grading_status
from grading.feedback_text import Given, Total, feedback_text
from grading.files import replace_file
from grading.gradebook import gradebook_address
from grading.results import read_graded
from grading.times import feedback_refusal


class TimelyFeedback(FeedbackGrades):
    """The grades of a feedback page. Named in nbgrader_config.py, so that nbgrader's own command waits too."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Add scores and comments, or refuse."""
        refuse_early(_configured(self.config), resources["nbgrader"]["assignment"])
        return super().preprocess(nb, resources)


def _configured(config: Any) -> Course:
    """The course that nbgrader was started for: its submissions and times may lie in another folder than its notebooks."""
    root = config.CourseDirectory.get("root")
    return find_course(Path(root) if isinstance(root, str) and root else None)


def refuse_early(course: Course, assignment: str) -> None:
    """Raise NbGraderException while a student may still be writing."""
    if refusal := feedback_refusal(course, assignment, datetime.now(UTC)):
        raise NbGraderException(refusal)


def make_feedback(course: Course, assignment: str, now: datetime) -> None:
    """Make every student's page in feedback/, by nbgrader. Raises CourseError."""
    if assignment not in course.assignments():
        raise CourseError(f"there is no assignment {assignment!r}")
    if refusal := feedback_refusal(course, assignment, now):
        raise CourseError(refusal)
    elsewhere = [] if course.run_root == course.root else _elsewhere(course)
    command = [str(Path(sys.executable).parent / "nbgrader"), "generate_feedback", assignment, "--force", *elsewhere]
    if subprocess.run(command, cwd=course.root).returncode:
        raise CourseError(f"nbgrader could not make the feedback on {assignment}; its messages are above")
    for student in write_texts(course, assignment):
        print(
            f"course: no feedback for {student}: autograded/ or feedback/ has no folder of that name. Where the folder's name "
            "in submitted/ is no text, rename it and score again.",
            file=sys.stderr,
        )


def write_texts(course: Course, assignment: str) -> list[str]:
    """Write each student's feedback as Markdown beside the page; who gets none, since no folder has the name."""
    without = []
    order = list(load_plan(course, assignment).blueprint.by_grade_id)
    with api.Gradebook(gradebook_address(course)[0]) as gradebook:
        for submission in gradebook.assignment_submissions(assignment):
            graded = read_graded(course.autograded / submission.student.id / assignment)
            folder = course.run_root / "feedback" / submission.student.id / assignment
            if graded is None or not folder.is_dir():
                without.append(submission.student.id)
                continue
            text = feedback_text(graded.result, total_of(submission), given_of(submission, order))
            replace_file(folder / f"{assignment}.md", text.encode("utf-8", "replace"))
    return without


def total_of(submission: Any) -> Total:
    """What the gradebook says of a whole submission."""
    told = {
        "ungraded": "a person will look at what no machine could decide",
        "waits for a person": "a person reads what you wrote",
    }
    penalty = submission.late_submission_penalty or 0.0
    points = max(0.0, submission.score - penalty)
    return Total(points, submission.max_score, penalty, told.get(grading_status(submission), ""))


def given_of(submission: Any, order: Sequence[str]) -> dict[str, Given]:
    """What the gradebook says of each cell that has points or a person's comment, in the notebook's order."""
    comments = {c.name: c.manual_comment for notebook in submission.notebooks for c in notebook.comments if c.manual_comment}
    grades = {grade.name: grade for notebook in submission.notebooks for grade in notebook.grades}
    given = {name: given_to(grades.get(name), comments.get(name, "")) for name in order}
    return {name: found for name, found in given.items() if found.max_points is not None or found.comment}


def given_to(grade: Any, comment: str) -> Given:
    """What the gradebook says of one cell; a person's points count before the machine's."""
    if grade is None:
        return Given(None, None, False, comment)
    undecided = grade.auto_score is None and grade.manual_score is None
    return Given(None if undecided else grade.score, grade.max_score, grade.manual_score is not None, comment)


def _elsewhere(course: Course) -> list[str]:
    """Options for a run root that is not the course's own folder."""
    return [f"--CourseDirectory.root={course.run_root}", f"--CourseDirectory.db_url=sqlite:///{course.gradebook}"]
