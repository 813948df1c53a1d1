"""Repeat the trainings of many submissions, or of a sample that the course's secret draws; keep what is done.

Each thread of the coordinator has a sandbox of its own and does little but wait for it. What is done is written at once, so that
a run that is ended goes on with the rest.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import platform
import queue
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

import grimp
import nbformat

from grading.cohort import Work
from grading.course import Course, Plan, drawn_plan
from grading.curves import Curve, Listener, Retraining
from grading.export import RETRAINING
from grading.files import replace_file
from grading.lock import only_run
from grading.results import files_of, hash_of_files, modules_behind
from grading.retraining import Retrained, passed_checks, prepare, retrain
from grading.sandbox.launch import Launch
from grading.sandboxed import Sandbox
from grading.verdict import Result


@dataclass(frozen=True)
class Trainee:
    """One submission whose training can be repeated, the hash of the code that does it, and curves to compare with."""

    work: Work
    retraining: Retraining
    edition: str
    file: Path  # where its outcome is kept, beside its result
    beside: tuple[Curve, ...] = ()

    @property
    def assignment(self) -> str:
        """The assignment's name."""
        return self.work.plan.assignment.name

    @property
    def plan(self) -> Plan:
        """Its student's own plan."""
        return drawn_plan(self.work.plan, self.work.variant)

    def basis(self) -> str:
        """What its outcome depends on; of a file that cannot be read, nothing that a hash could hold."""
        try:
            return prepare(self.work.task().submission, self.plan, self.retraining).basis(self.edition)
        except Exception:  # whatever it is that cannot be rebuilt costs nobody else anything: `retrain` says what it was
            return ""

    def known(self) -> Retrained | None:
        """The last outcome, where nothing that it depends on has changed since."""
        try:
            found = Retrained.from_dict(json.loads(self.file.read_bytes()))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return found if found.basis == self.basis() else None


@dataclass(frozen=True)
class Told:
    """Who is told what while trainings are repeated."""

    epoch: Callable[[Trainee, int, float], None]
    done: Callable[[Trainee, Retrained], None]


@dataclass(frozen=True)
class Comparison:
    """The repeated trainings of one assignment beside other curves, for the report; `remarks` are by student."""

    assignment: str
    marks: tuple[int, ...]
    epochs: int
    beside: tuple[Curve, ...]
    repeated: tuple[Retrained, ...]
    remarks: Mapping[str, tuple[str, ...]]


def find_trainees(course: Course, work: Sequence[Work]) -> list[Trainee]:
    """The submissions of assignments whose training can be repeated."""
    known: dict[str, tuple[str, tuple[Curve, ...]]] = {}
    found = []
    for one in work:
        name, retraining = one.plan.assignment.name, one.plan.assignment.retraining
        if retraining is not None:
            if name not in known:
                curves = (*retraining.beside(one.plan.given), *solved_curve(course, one.plan, retraining))
                known[name] = training_edition(course, retraining), curves
            file = course.autograded / one.student / name / RETRAINING
            found.append(Trainee(one, retraining, known[name][0], file, known[name][1]))
    return found


def training_edition(course: Course, retraining: Retraining) -> str:
    """The hash of the code that repeats a training and reads it out, and of what it runs on. Checks have no part in it."""
    root, graph = course.root, grimp.build_graph("grading", "grader_tests", cache_dir=None)
    modules = modules_behind(graph, "grading.retraining") | modules_behind(graph, retraining.by_epoch.__module__)
    files = [file for package in ("grading", "grader_tests") for file in files_of(root, graph, modules, package)]
    lock = root / "requirements.lock"
    return hash_of_files(root, files, [platform.python_version(), lock.read_text() if lock.is_file() else ""])


def draw(trainees: Sequence[Trainee], secret: bytes, sample: int | None) -> list[Trainee]:
    """So many of each assignment, by HMAC-SHA256 of the student's name under the secret: nobody knows beforehand who, and another
    run draws the same. All where `sample` is None; in the order they came."""
    if sample is None:
        return list(trainees)
    chosen: set[tuple[str, str]] = set()
    for name in {one.assignment for one in trainees}:
        students = [one.work.student for one in trainees if one.assignment == name]
        ranked = sorted(students, key=lambda student: lot(secret, name, student))
        chosen.update((name, student) for student in ranked[:sample])
    return [one for one in trainees if (one.assignment, one.work.student) in chosen]


def lot(secret: bytes, assignment: str, student: str) -> bytes:
    """A student's lot."""
    text = json.dumps(["retrain", assignment, student])
    return hmac.new(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def retrain_all(course: Course, trainees: Sequence[Trainee], launch: Launch, at_once: int, told: Told) -> None:
    """Repeat the trainings that have no outcome that stands, so many at a time, and keep each in its file.

    Raises CourseError where another run is at work.
    """
    with only_run(course):
        to_do = []
        for one in trainees:
            earlier = one.known()
            if earlier is not None and earlier.may_stand:
                told.done(one, earlier)
            else:
                to_do.append(one)
        whole = replace(launch, quick=False)
        sandboxes = [Sandbox(whole) for _ in range(min(at_once, len(to_do)))]
        with closing(repeated(to_do, sandboxes, told)) as outcomes:
            for one, made in outcomes:
                replace_file(one.file, (json.dumps(made.as_dict(), indent=1) + "\n").encode())
                told.done(one, made)


def repeated(
    to_do: Sequence[Trainee], sandboxes: Sequence[Sandbox], told: Told
) -> Generator[tuple[Trainee, Retrained], None, None]:
    """The outcomes as they come, one training in a sandbox at a time. Whoever stops listening ends them all."""
    free: queue.SimpleQueue[Sandbox] = queue.SimpleQueue()
    for sandbox in sandboxes:
        free.put(sandbox)
    with ThreadPoolExecutor(max(1, len(sandboxes))) as pool:
        futures = {pool.submit(repeat, one, free, told): one for one in to_do}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for sandbox in sandboxes:  # a training that goes on in one is ended with it
                sandbox.retire()


def repeat(one: Trainee, free: queue.SimpleQueue[Sandbox], told: Told) -> Retrained:
    """One training, in a sandbox that is free."""
    sandbox = free.get()
    try:
        submission = one.work.task().submission
        made = retrain(submission, one.plan, one.retraining, sandbox, partial(told.epoch, one))
        return replace(made, basis=one.basis())
    finally:
        free.put(sandbox)


Outcomes = Mapping[tuple[str, str], Retrained]
"""Repeated trainings by assignment and student."""


def compare(trainees: Sequence[Trainee], outcomes: Outcomes, results: Sequence[Result]) -> list[Comparison]:
    """What the report shows: the outcomes, beside the curves to compare them with."""
    of = {(result.assignment, result.student): result for result in results}
    found = []
    for name, group in groupby(sorted(trainees, key=lambda one: one.assignment), lambda one: one.assignment):
        first, *_ = members = list(group)
        made = [outcomes[name, one.work.student] for one in members if (name, one.work.student) in outcomes]
        if made:
            remarks = {m.student: remarks_on(first.retraining, m, of.get((name, m.student))) for m in made}
            marks, epochs = first.retraining.marks, first.retraining.epochs
            found.append(Comparison(name, marks, epochs, first.beside, tuple(made), remarks))
    return found


def remarks_on(retraining: Retraining, made: Retrained, result: Result | None) -> tuple[str, ...]:
    """What a person should know of an outcome, beside the points that the submission has."""
    return retraining.remarks(made.curve, made.cpu_s, passed_checks(result))


def solved_curve(course: Course, plan: Plan, retraining: Retraining) -> tuple[Curve, ...]:
    """The curve that the solved notebook shows, as far as one has been made."""
    path = course.solutions / plan.assignment.name / f"{plan.assignment.name}.ipynb"
    if not path.is_file():
        return ()
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.id == retraining.cell]
    listener = Listener(retraining, lambda epoch, share: None)
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        listener(str(output.get("text", "")).encode())
    return (Curve("ours, the solved notebook", listener.by_epoch),) if listener.by_epoch else ()
