"""A sandbox that dies between or during submissions is started anew, and no submission is lost to it."""

from __future__ import annotations

import os
import signal

import pytest

from grading.course import Plan
from grading.limits import Limits
from grading.sandbox.conversation import Budget
from grading.sandbox.launch import Launch, choose_launch
from grading.sandbox.session import CellToRun, Session
from grading.sandbox.warm import SandboxFault, Usage, WarmParent
from grading.sandboxed import Sandbox
from grading.submission import Submission
from tests.conftest import HandIn


@pytest.mark.usefixtures("needs_sandbox")
def test_a_parent_that_was_killed_is_replaced_and_the_submission_scored(plan: Plan, handed_in: HandIn) -> None:
    submission = Submission("student", plan.assignment.name, handed_in())
    with Sandbox(choose_launch()) as sandbox:
        assert sandbox.score(submission, plan, 1).result.points == 20.0
        assert sandbox._parent is not None
        os.kill(sandbox._parent._process.pid, signal.SIGKILL)
        result = sandbox.score(submission, plan, 1).result
    assert (result.status, result.points) == ("graded", 20.0)


@pytest.mark.usefixtures("needs_sandbox")
def test_a_parent_that_dies_under_a_submission_leaves_nothing_open(plan: Plan, handed_in: HandIn) -> None:
    """The check is asked of a parent that has gone: the fault is ours, and every descriptor is closed."""
    before = len(os.listdir("/proc/self/fd"))
    with WarmParent(choose_launch()) as parent:
        session = Session(parent, [CellToRun("<cell 0>", "x = 1")], {}, plan.assignment.limits)
        session.run_cells()
        os.kill(parent._process.pid, signal.SIGKILL)
        with pytest.raises(SandboxFault):
            session.__exit__()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_parent_that_cannot_start_is_a_fault_and_leaves_nothing_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(SandboxFault):
        WarmParent(Launch(("false",), {}, True, ""))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_sandbox_that_was_retired_while_it_started_runs_nothing(monkeypatch: pytest.MonkeyPatch, needs_sandbox: None) -> None:
    sandbox, parents = Sandbox(choose_launch()), []

    def started_meanwhile(launch: Launch) -> WarmParent:
        parents.append(WarmParent(launch))
        sandbox.retire()
        return parents[-1]

    monkeypatch.setattr("grading.sandboxed.WarmParent", started_meanwhile)
    for _ in range(2):
        with pytest.raises(SandboxFault, match="the run was ended"):
            sandbox.session([CellToRun("<cell 0>", "1")], {}, Limits())
    for parent in parents:
        with pytest.raises(SandboxFault):
            parent.start_child(Limits())


def test_time_spent_waiting_for_a_processor_is_left_out_and_too_much_of_it_is_starvation() -> None:
    budget = Budget(Usage(0.0, 0.0, 0.0), cpu_s=6, wall_s=2)
    waited, starved = Usage(1.0, 8.0, 9.0), Usage(1.0, 1000.0, 21.0)
    assert (budget.used_up(waited), budget.starved(waited)) == ("", False)
    assert (budget.used_up(starved), budget.starved(starved)) == ("", True)
