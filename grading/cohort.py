"""Score a cohort: everything in submitted/, one submission after the other; one broken notebook costs no one else anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grading.checks import NoSuchAssignment
from grading.course import Course, CourseError, Plan, assignment_seed, course_secret, load_plan, personal_plan
from grading.export import write_folder
from grading.gradebook import GradebookWriter, open_gradebook
from grading.sandbox.launch import Launch, choose_launch
from grading.sandboxed import Sandbox
from grading.score import Scored
from grading.submission import collect, find_submissions
from grading.times import arrival, read_times, with_arrival
from grading.verdict import Finding, Result


class NoSandbox(Exception):
    """This machine offers no line of defence, and no one has said that students are trusted."""


@dataclass(frozen=True)
class Work:
    """One submission to be scored: who, where it lies, and by what."""

    student: str
    inbox: Path
    plan: Plan
    seed: int


def launch_for(trust_students: bool) -> Launch:
    """How student code is to be run here. Raises NoSandbox."""
    launch = choose_launch()
    if not launch.sandboxed and not trust_students:
        raise NoSandbox(
            "no sandbox works here, so students' code would run with your rights. `./course doctor` says what is missing; "
            "--trust-students scores all the same, and the report then says unsandboxed"
        )
    return launch


def find_work(course: Course, assignments: Sequence[str], seed: int | None) -> list[Work]:
    """Submissions of the named assignments, or of all; `seed` None means the course's own. Raises CourseError."""
    try:
        plans = [load_plan(course, name) for name in dict.fromkeys(assignments) or course.assignments()]
    except NoSuchAssignment as error:
        raise CourseError(str(error)) from error
    work = []
    for plan in plans:
        name = plan.assignment.name
        decided = assignment_seed(course_secret(course), name) if seed is None else seed
        read_times(course, name)  # a fault in it is told before anything is scored
        for student, folder in find_submissions(course.submitted, name):
            own = personal_plan(plan, course_secret(course), student) if plan.template else plan
            work.append(Work(student, folder, own, decided))
    return work


def score_all(course: Course, work: Sequence[Work], launch: Launch, written: Callable[[Result], None]) -> list[Result]:
    """Score in order; `written` is told of each submission once its files and grades stand. Raises GradebookError."""
    results = []
    with open_gradebook(course) as gradebook, Sandbox(launch) as sandbox:
        for one in work:
            result = score_one(course, one, sandbox, gradebook)
            written(result)
            results.append(result)
    return results


def score_one(course: Course, work: Work, sandbox: Sandbox, gradebook: GradebookWriter) -> Result:
    """Collect, score and write one submission: to the gradebook first, for the folder in autograded/ says that all is done."""
    name = work.plan.assignment.name
    submission = collect(work.student, work.inbox, work.plan.assignment)
    arrived = arrival(course, name, work.student, work.inbox)
    scored: Scored = with_arrival(sandbox.score(submission, work.plan, work.seed), arrived)
    gradebook.write(work.plan, scored, arrived.moment, arrived.late_s)
    try:
        write_folder(course.autograded / work.student / name, work.inbox, work.plan, submission, scored)
    except OSError as error:
        # The grade stands in the gradebook; what is missing is the folder, and that is this student's alone.
        note = Finding("not-written", None, f"The folder in autograded/ could not be written: {error.strerror}.")
        return replace(scored.result, findings=(*scored.result.findings, note))
    return scored.result


def listed(results: Sequence[Result]) -> list[Result]:
    """By assignment and student, ungraded submissions last."""
    return sorted(results, key=lambda r: (r.status != "graded", r.assignment, r.student))
