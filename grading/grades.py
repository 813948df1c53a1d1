"""What the gradebook says of every student: a number where everything is decided, and otherwise why there is none."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from grading.checks import load_assignment
from grading.course import Course, CourseError
from grading.export import grading_status
from grading.gradebook import gradebook_address, without_programs
from grading.lms.listing import LISTING, read_left
from grading.results import hash_of_submission, read_graded
from grading.submission import collect, find_submissions
from grading.times import read_arrivals, with_arrival

GRADED, UNGRADED, WAITS, ABSENT = "graded", "ungraded", "waits for a person", "not handed in"


@dataclass(frozen=True)
class Learner:
    """A student, as the gradebook knows them."""

    student: str
    first_name: str
    last_name: str
    email: str
    number: str


@dataclass(frozen=True)
class Grade:
    """A student's points in an assignment, lateness taken off; None where something is undecided, and `why` says what."""

    student: str
    assignment: str
    points: float | None
    max_points: float
    status: str
    why: str = ""


@dataclass(frozen=True)
class Grades:
    """Everything that is exported."""

    learners: tuple[Learner, ...]
    assignments: tuple[str, ...]
    grades: dict[tuple[str, str], Grade]


def read_grades(course: Course, asked: Collection[str] = ()) -> Grades:
    """The grades of these assignments, or of all that have been graded. Raises CourseError."""
    address, course_id = gradebook_address(course)
    if address.startswith("sqlite:///") and not Path(address.removeprefix("sqlite:///")).is_file():
        raise CourseError("there is no gradebook yet: ./course score makes one")
    without_programs()
    with Gradebook(address, course_id) as book:
        known = [assignment for assignment in book.assignments if not asked or assignment.name in asked]
        learners = tuple(
            Learner(s.id, s.first_name or "", s.last_name or "", s.email or "", s.lms_user_id or "") for s in book.students
        )
        grades = {}
        for assignment in known:
            left = read_left(downloads(course, assignment.name)).students
            for learner in learners:
                grades[learner.student, assignment.name] = _grade(book, course, assignment, learner.student, left)
    if missing := sorted(set(asked) - {assignment.name for assignment in known}):
        raise CourseError(f"nothing of {missing[0]} has been scored yet: ./course score {missing[0]} does")
    return Grades(learners, tuple(assignment.name for assignment in known), grades)


def _grade(book: Gradebook, course: Course, assignment: object, student: str, left: Collection[str]) -> Grade:
    name, most = assignment.name, float(assignment.max_score)  # type: ignore[attr-defined]  # nbgrader's classes carry no types
    try:
        submission = book.find_submission(name, student)
    except MissingEntry:
        why = _not_scored(course, name, student, left)
        return Grade(student, name, None, most, UNGRADED if why else ABSENT, why or ABSENT)
    status = grading_status(submission)
    if status != GRADED:
        return Grade(student, name, None, most, status, _reason(course, name, student, status))
    return Grade(student, name, max(0.0, submission.score - (submission.late_submission_penalty or 0.0)), most, GRADED)


def _not_scored(course: Course, assignment: str, student: str, left: Collection[str]) -> str:
    """Why something that was handed in has no result; empty where nothing was."""
    if (course.submitted / student / assignment).exists():
        return "handed in, but not scored yet: run ./course score"
    if student in left:
        return f"handed in, but none of it was taken: {downloads(course, assignment) / LISTING} says why"
    return ""


def strays(course: Course, grades: Grades) -> Iterator[str]:
    """Of which assignments a download holds somebody's work, and nobody knows whose. Raises CourseError."""
    for assignment in grades.assignments:
        if count := read_left(downloads(course, assignment)).nobodys:
            which = "a file came" if count == 1 else f"{count} files came"
            told = f"{which} under the name of nobody who is known; it may be the work of somebody without a grade"
            yield f"{assignment}: {told}: {downloads(course, assignment) / LISTING} tells"


def outdated(course: Course, grades: Grades) -> Iterator[str]:
    """Whose submission is another than the one that was scored, as after a later attempt. Raises CourseError."""
    for name in sorted(set(grades.assignments) & set(course.assignments())):
        assignment, arrivals = load_assignment(name), read_arrivals(course, name)
        for student, inbox in find_submissions(course.submitted, name):
            graded = read_graded(course.autograded / student / name)
            now = with_arrival(collect(student, inbox, assignment), arrivals.of(student, inbox))
            if graded and graded.basis and graded.basis.submission != hash_of_submission(now):
                told = "what was handed in, or when, has changed since it was scored"
                yield f"{student}, {name}: {told}: run ./course score {name}, and export again"


def downloads(course: Course, assignment: str) -> Path:
    """Where the LMS's downloads of an assignment lie."""
    return course.run_root / "downloaded" / assignment


def _reason(course: Course, assignment: str, student: str, status: str) -> str:
    """Why something is undecided, as the report has it."""
    if status == WAITS:
        return "waits for a person: written answers are to be graded in the formgrader"
    graded = read_graded(course.autograded / student / assignment)
    findings = [finding.message for finding in graded.result.findings] if graded else []
    return f"ungraded: {findings[-1] if findings else 'a check could not be decided'}"


def undecided(grades: Grades) -> Iterator[Grade]:
    """What is exported blank."""
    return (grade for _, grade in sorted(grades.grades.items()) if grade.points is None)
