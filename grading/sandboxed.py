"""Scoring in a sandbox that is started when it is needed, and anew after a fault of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from grading.course import Plan
from grading.limits import Limits
from grading.runners import SandboxRunner
from grading.sandbox.launch import Launch, choose_launch
from grading.sandbox.session import CellToRun, Session
from grading.sandbox.warm import SandboxFault, WarmParent
from grading.score import Scored, score
from grading.submission import Submission


class NoSandbox(Exception):
    """This machine offers no line of defence, and no one has said that students are trusted."""


def launch_for(trust_students: bool) -> Launch:
    """How student code is to be run here. Raises NoSandbox."""
    launch = choose_launch()
    if not launch.sandboxed and not trust_students:
        raise NoSandbox(
            "no sandbox works here, so students' code would run with your rights. `./course doctor` says what is missing; "
            "--trust-students scores all the same, and the report then says unsandboxed"
        )
    return launch


class Sandbox:
    """A warm parent that is started when the first submission needs it, and anew after a fault of its own. A context manager."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._parent: WarmParent | None = None
        self._retired = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """End the parent."""
        if self._parent is not None:
            self._parent.close()
        self._parent = None

    def retire(self) -> None:
        """End the parent for good, whatever another thread is doing with it or is about to start."""
        self._retired = True
        self.close()

    def _started(self) -> WarmParent:
        """The parent; one that ends while it starts is started once more. Raises SandboxFault."""
        if self._parent is None:
            try:
                self._parent = WarmParent(self._launch)
            except SandboxFault:
                self._parent = WarmParent(self._launch)
        if self._retired:  # asked after the start, which takes seconds
            self._parent.close()
            raise SandboxFault("the run was ended")
        return self._parent

    def session(self, cells: Sequence[CellToRun], files: Mapping[str, bytes], limits: Limits) -> Session:
        """A stay for some cells, which have not been run yet. Raises SandboxFault."""
        return Session(self._started(), cells, files, limits)

    def score(self, submission: Submission, plan: Plan, seed: int) -> Scored:
        """Score a submission; a second time where the first failed by a fault of ours, as after a parent's death."""
        for _ in range(2):
            scored = score(submission, plan, SandboxRunner(self._started()), seed)
            if not any(finding.kind == "grader-fault" for finding in scored.result.findings):
                break
            self.close()
        return scored
