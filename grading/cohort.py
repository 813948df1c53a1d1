"""Score a cohort: everything in submitted/, by whatever crew there is; one broken notebook costs no one else anything.

The coordinator reads submissions and is the one writer: a result goes into the gradebook first, then into autograded/, whose
folder says that all is done. A run that was ended at any moment goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from pathlib import Path
from typing import TypeVar

from grading.checks import NoSuchAssignment
from grading.course import (
    Course,
    CourseError,
    Plan,
    assignment_seed,
    course_secret,
    drawn_plan,
    load_plan,
    require_secret,
    variant_of,
)
from grading.crew import Batch, Crew, Lost, Task
from grading.export import write_folder
from grading.gradebook import GradebookWriter, open_gradebook
from grading.lock import only_run
from grading.results import Edition, Finished, Graded, read_edition, read_graded
from grading.score import ungraded
from grading.submission import Submission, collect, find_submissions
from grading.times import Arrival, Arrivals, read_arrivals, strange_lines, with_arrival
from grading.variant import PRACTICE, Variant
from grading.verdict import Finding, Result

_BATCH = 8  # submissions sent together: a batch costs Dask some milliseconds, and a worker that dies costs one batch
_WRITTEN_TOGETHER = 50  # results of earlier runs in one transaction


@dataclass(frozen=True)
class Work:
    """One submission to be scored: who, where it lies, by what, with which seed, what was drawn for the student, and what is
    known about arrivals."""

    student: str
    inbox: Path
    plan: Plan
    edition: Edition
    seed: int
    variant: Variant | None
    arrivals: Arrivals

    @property
    def arrival(self) -> Arrival:
        """When it arrived."""
        return self.arrivals.of(self.student, self.inbox)

    def task(self) -> Task:
        """What a crew is handed: the submission as it lies there now, with what its arrival says of it."""
        submission = with_arrival(collect(self.student, self.inbox, self.plan.assignment), self.arrival)
        return Task(submission, self.edition.basis(submission, self.seed, self.variant), self.variant)


@dataclass(frozen=True)
class Outcome:
    """A graded submission, and whether its result stood from an earlier run."""

    graded: Graded
    stood: bool = False

    @property
    def result(self) -> Result:
        """Its result."""
        return self.graded.result


Item = TypeVar("Item")
OpenCrew = Callable[[Sequence[Work]], AbstractContextManager[Crew]]
"""Opens a crew for some work; called only where there is any."""


def find_work(course: Course, assignments: Sequence[str], seed: int | None) -> list[Work]:
    """Submissions of the named assignments, or of all; `seed` None means the course's own. Raises CourseError."""
    try:
        plans = [load_plan(course, name) for name in dict.fromkeys(assignments) or course.assignments()]
    except NoSuchAssignment as error:
        raise CourseError(str(error)) from error
    for plan in plans:
        name, personal = plan.assignment.name, plan.template is not None
        if personal and any(student != PRACTICE for student, _ in find_submissions(course.submitted, name)):
            require_secret(course, f"the papers of {name} cannot be drawn again")
    work, secret = [], course_secret(course)
    for plan in plans:
        name, edition = plan.assignment.name, read_edition(course, plan)
        decided = assignment_seed(secret, name) if seed is None else seed
        arrivals = read_arrivals(course, name)
        for student, folder in find_submissions(course.submitted, name):
            variant = variant_of(plan, secret, student)
            work.append(Work(student, folder, plan, edition, decided, variant, arrivals))
    return work


def strangers_of(work: Sequence[Work]) -> list[tuple[str, str]]:
    """Assignments, and who has times of their own for them but handed in nothing."""
    arrivals = {w.plan.assignment.name: w.arrivals for w in work}
    students = {name: [w.student for w in work if w.plan.assignment.name == name] for name in arrivals}
    found = {name: known.times.strangers(students[name]) for name, known in arrivals.items() if known.times is not None}
    return [(name, stranger) for name, strangers in found.items() for stranger in strangers]


def strange_arrivals(course: Course, work: Sequence[Work]) -> list[str]:
    """Lines of the collector's record that fit none of this work, in words. Raises CourseError."""
    timed = {w.plan.assignment.name for w in work if w.arrivals.times is not None}
    return strange_lines(course, {name: [w.student for w in work if w.plan.assignment.name == name] for name in timed})


def score_all(course: Course, work: Sequence[Work], open_crew: OpenCrew, written: Callable[[Outcome], None]) -> list[Graded]:
    """Score what has no result that still stands; `written` is told of each submission once its files and grades stand.

    Raises CourseError where another run is at work, GradebookError, CrewError.
    """
    results = []
    with only_run(course), open_gradebook(course) as gradebook:
        for outcome in Run(course, gradebook, open_crew).outcomes(work):
            written(outcome)
            results.append(outcome.graded)
    return results


def try_all(course: Course, work: Sequence[Work], open_crew: OpenCrew, told: Callable[[Outcome], None]) -> list[Graded]:
    """What `score_all` would come to; nothing is written. Raises CrewError."""
    results = []
    for outcome in Run(course, None, open_crew).outcomes(work):
        told(outcome)
        results.append(outcome.graded)
    return results


@dataclass
class Run:
    """One run's way from submissions to what is written."""

    course: Course
    gradebook: GradebookWriter | None  # None: nothing is written
    open_crew: OpenCrew
    under_way: dict[tuple[str, str], tuple[Work, Submission]] = field(default_factory=dict)

    def outcomes(self, work: Sequence[Work]) -> Iterator[Outcome]:
        """Everything, as it is written; first what stands from earlier runs."""
        to_do: list[Work] = []
        for group in grouped(work, _WRITTEN_TOGETHER):
            found = [(one, self.standing(one)) for one in group]
            to_do += [one for one, earlier in found if earlier is None]
            yield from self.write_standing([(one, earlier) for one, earlier in found if earlier is not None])
        if not to_do:
            return
        plans = {one.plan.assignment.name: one.plan for one in to_do}
        with self.open_crew(to_do) as crew:
            for finished in finished_by(crew, self.batches(to_do), plans):
                yield from self.write(finished)

    def standing(self, one: Work) -> Graded | None:
        """The result of an earlier run, where nothing that it depends on has changed."""
        name = one.plan.assignment.name
        earlier = read_graded(self.course.autograded / one.student / name)
        if earlier is None or not earlier.may_stand:
            return None
        return earlier if earlier.basis == one.task().basis else None

    def write_standing(self, pairs: Sequence[tuple[Work, Graded]]) -> Iterator[Outcome]:
        """Write results into the gradebook once more: it may be another, or have been lost."""
        if pairs and self.gradebook is not None:
            timed = [(graded, one.arrival) for one, graded in pairs]
            self.gradebook.write(pairs[0][0].plan, timed)
        yield from (Outcome(graded, stood=True) for _, graded in pairs)

    def batches(self, work: Sequence[Work]) -> Iterator[Batch]:
        """What is to be scored, read when its turn comes."""
        for group in grouped(work, _BATCH):
            tasks = [one.task() for one in group]
            for one, task in zip(group, tasks, strict=True):
                self.under_way[one.plan.assignment.name, one.student] = one, task.submission
            yield Batch(group[0].plan.assignment.name, group[0].edition, tuple(tasks))

    def write(self, finished: Sequence[Finished]) -> Iterator[Outcome]:
        """Submissions of one assignment: all into the gradebook, then each into autograded/."""
        collected = [self.under_way.pop((one.result.assignment, one.result.student)) for one in finished]
        if self.gradebook is None:
            yield from (Outcome(one.without_notebook()) for one in finished)
            return
        if collected:
            timed = [(one, work.arrival) for one, (work, _) in zip(finished, collected, strict=True)]
            self.gradebook.write(collected[0][0].plan, timed)
        for one, (work, submission) in zip(finished, collected, strict=True):
            yield Outcome(write_files(self.course, work, submission, one))


def write_files(course: Course, work: Work, submission: Submission, finished: Finished) -> Graded:
    """Write a student's folder in autograded/. Where that fails, the grade stands in the gradebook all the same."""
    result, graded = finished.result, finished.without_notebook()
    try:
        write_folder(course.autograded / result.student / result.assignment, work.inbox, submission, finished)
    except OSError as error:
        note = Finding("not-written", None, f"The folder in autograded/ could not be written: {error.strerror}.")
        return replace(graded, result=replace(result, findings=(*result.findings, note)))
    return graded


def grouped(work: Sequence[Work], most: int) -> Iterator[list[Work]]:
    """Neighbours of one assignment, at most so many together."""
    for _, of_assignment in groupby(work, lambda one: one.plan.assignment.name):
        yield from (list(some) for some in batched(of_assignment, most))


def batched(items: Iterable[Item], most: int) -> Iterator[tuple[Item, ...]]:
    """Items in tuples of so many, the last perhaps shorter."""
    remaining = iter(items)
    while some := tuple(islice(remaining, most)):
        yield some


def finished_by(crew: Crew, batches: Iterable[Batch], plans: Mapping[str, Plan]) -> Iterator[list[Finished]]:
    """The results of all batches. Whom the machine starved, or whose worker ended, is tried once more, alone."""
    again: list[Batch] = []
    for outcome in crew.score(batches):
        if isinstance(outcome, Lost):
            again += outcome.batch.singly()
            continue
        starved = {one.result.student for one in outcome.results if is_starved(one.result)}
        again += [single for single in outcome.batch.singly() if single.tasks[0].submission.student in starved]
        yield [one for one in outcome.results if one.result.student not in starved]
    for outcome in crew.score(again, at_once=1):
        if isinstance(outcome, Lost):
            yield [given_up(outcome.batch, plans[outcome.batch.assignment])]
        else:
            yield outcome.results


def is_starved(result: Result) -> bool:
    """Whether the machine was too busy to judge a submission."""
    return any(finding.kind == "starved" for finding in result.findings)


def given_up(batch: Batch, plan: Plan) -> Finished:
    """The result of a submission whose worker ended twice."""
    (task,) = batch.tasks
    reason = "The process that scored it ended twice over this submission."
    own = drawn_plan(plan, task.variant)
    scored = ungraded(task.submission, own, "none: its worker ended", task.basis.seed, "worker-died", reason)
    return Finished.of(own, scored, task.basis)


def listed(results: Sequence[Result]) -> list[Result]:
    """By assignment and student, ungraded submissions last."""
    return sorted(results, key=lambda r: (r.status != "graded", r.assignment, r.student))
