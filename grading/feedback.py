"""Feedback, which on an exam waits until the last student has finished."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbgrader.converters.base import NbGraderException

from grading.course import Course, CourseError, find_course
from grading.export import FeedbackGrades
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


def _elsewhere(course: Course) -> list[str]:
    """Options for a run root that is not the course's own folder."""
    return [f"--CourseDirectory.root={course.run_root}", f"--CourseDirectory.db_url=sqlite:///{course.gradebook}"]
