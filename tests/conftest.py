"""What several tests share: the first assignment's plan, one sandbox for the whole run, and notebooks to hand in."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

import pytest
from nbformat.notebooknode import NotebookNode

from grading.course import Plan, find_course, load_plan
from grading.demo import hand_in
from grading.notebooks import grade_id, write
from grading.runners import SandboxRunner
from grading.sandbox.launch import choose_launch
from grading.sandbox.warm import WarmParent
from grading.score import score
from grading.submission import Submission
from grading.verdict import Result

NO_SANDBOX = (
    "there is no sandbox on this machine, and student code is not run without one; to have it: apt-get install bubblewrap"
)


class HandIn(Protocol):
    """Makes the bytes of a notebook: the solved one with other texts in some answer cells, then changed in place."""

    def __call__(self, answers: Mapping[str, str] | None = None, change: Callable[[NotebookNode], None] | None = None) -> bytes:
        """The changed notebook's bytes; `answers` maps grade ids to texts."""


class Judge(Protocol):
    """Scores a submission, or a notebook's bytes, in the sandbox with short limits."""

    def __call__(self, content: bytes | Submission) -> Result:
        """What the scoring run says."""


def earned(plan: Plan, result: Result) -> dict[str, float | None]:
    """Points by graded cell; None where they are not known."""
    return {cell: result.cell_points(cell) for cell in plan.assignment.points}


def full(plan: Plan, lost: Mapping[str, float] | None = None) -> dict[str, float]:
    """Full marks, save those that are named."""
    return {**plan.assignment.points, **(lost or {})}


@pytest.fixture(scope="session")
def plan() -> Plan:
    """The plan of m1_attention."""
    return load_plan(find_course(), "m1_attention")


@pytest.fixture(scope="session")
def quick_plan(plan: Plan) -> Plan:
    """The same with limits so short that a loop costs a test two seconds; a cell that prints 150 MB needs a third of them."""
    times = {"cell_cpu_s": 2.0, "cell_wall_s": 3.0, "check_cpu_s": 1.0, "check_wall_s": 2.0, "grace_s": 0.3}
    later = {"cell_after_timeout_cpu_s": 0.4, "check_after_timeout_cpu_s": 0.4}
    return replace(plan, assignment=replace(plan.assignment, limits=replace(plan.assignment.limits, **times, **later)))


@pytest.fixture(scope="session")
def needs_sandbox() -> None:
    """For tests that start a sandbox of their own."""
    if not choose_launch().sandboxed:
        pytest.skip(NO_SANDBOX)


@pytest.fixture(scope="session")
def parent() -> Iterator[WarmParent]:
    """One warm parent for all tests: starting it takes seconds, and nothing may pass from one test to the next through it."""
    launch = choose_launch()
    if not launch.sandboxed:
        pytest.skip(NO_SANDBOX)
    with WarmParent(launch) as started:
        yield started


@pytest.fixture(scope="session")
def sandbox(parent: WarmParent) -> SandboxRunner:
    """A runner over the one warm parent."""
    return SandboxRunner(parent)


@pytest.fixture(scope="session")
def handed_in(plan: Plan) -> HandIn:
    """Makes submissions from the solved notebook."""
    solved = hand_in(plan, "")

    def make(answers: Mapping[str, str] | None = None, change: Callable[[NotebookNode], None] | None = None) -> bytes:
        notebook = copy.deepcopy(solved)
        for name, text in (answers or {}).items():
            next(cell for cell in notebook.cells if grade_id(cell) == name).source = text
        if change is not None:
            change(notebook)
        return write(notebook).encode()

    return make


@pytest.fixture
def judge(quick_plan: Plan, sandbox: SandboxRunner) -> Judge:
    """Scores submissions."""

    def run(content: bytes | Submission) -> Result:
        given = content if isinstance(content, Submission) else Submission("student", quick_plan.assignment.name, content)
        return score(given, quick_plan, sandbox, 20_240).result

    return run
