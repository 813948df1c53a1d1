"""Repeat the training of one submission: the student's own model and loop, the whole schedule, in the sandbox.

It is evidence for a person and changes no point. What comes out is a Retrained, whatever the notebook does; only
undecided ones, which are the machine's fault or ours, are tried again by the next run.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Self

from grading.course import Plan
from grading.curves import Curve, Listener, NoCurve, Retraining
from grading.limits import Limits
from grading.notebooks import UnreadableNotebook, open_notebook
from grading.rebuild import rebuild
from grading.sandbox.session import CellRun, CellToRun, LongRun, Session
from grading.sandboxed import Sandbox
from grading.score import cells_to_run
from grading.student import Student, StudentFault, TransportFault
from grading.submission import Submission
from grading.verdict import Result, Verdict
from grading.wire import WireError

_TOLD = 300  # characters of a student's text that are passed on


class Ended(StrEnum):
    """How a repeated training ended."""

    COMPLETE = "complete"
    PARTIAL = "partial"  # some epochs are known
    NO_CURVE = "no curve"
    UNDECIDED = "undecided"  # the machine's fault or ours: the next run tries again


@dataclass(frozen=True)
class Retrained:
    """What came of one submission's training: how it ended, in a sentence why, and its curve; processor seconds and seconds by
    the clock; what it depends on, as a hash. `curve.by_epoch` is the notebook's word, `curve.final` was measured."""

    student: str
    assignment: str
    ended: Ended
    told: str
    curve: Curve
    cpu_s: float = 0.0
    elapsed_s: float = 0.0
    basis: str = ""

    @property
    def may_stand(self) -> bool:
        """Whether another run would come to the same."""
        return self.ended is not Ended.UNDECIDED

    def as_dict(self) -> dict[str, Any]:
        """The content of retraining.json."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Of what `as_dict` made. Raises KeyError, TypeError, ValueError or AttributeError where it is none."""
        curve = content["curve"]
        read = Curve(curve["name"], {int(e): float(s) for e, s in curve["by_epoch"].items()}, curve["final"])
        return cls(**{**content, "ended": Ended(content["ended"]), "curve": read})


@dataclass(frozen=True)
class Attempt:
    """A notebook that is ready to be trained: its cells up to the one that trains, and what the run depends on."""

    cells: tuple[CellToRun, ...]
    files: Mapping[str, bytes]
    limits: Limits

    def basis(self, edition: str) -> str:
        """The hash of all that the outcome depends on; `edition` is that of the code, the same for all."""
        cells = [[cell.name, cell.source] for cell in self.cells]
        files = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        text = json.dumps([edition, cells, files, asdict(self.limits)], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def prepare(submission: Submission, plan: Plan, retraining: Retraining) -> Attempt:
    """Rebuild a notebook as far as it trains. Handed-in files stay away: what comes out was made by this run.

    Raises UnreadableNotebook.
    """
    if submission.content is None:
        raise UnreadableNotebook(submission.reason)
    rebuilt = rebuild(open_notebook(submission.content).notebook, plan.blueprint)
    source = plan.blueprint.notebook.cells
    training = next(i for i, c in enumerate(rebuilt.cells) if c.origin is not None and source[c.origin].id == retraining.cell)
    cells = cells_to_run(replace(rebuilt, cells=rebuilt.cells[: training + 1]), plan)
    return Attempt(tuple(cells), plan.given, limits_of(plan.assignment.limits, retraining))


def limits_of(limits: Limits, retraining: Retraining) -> Limits:
    """An assignment's limits, with room for a training and for questions about what it made."""
    more_s = retraining.question_cpu_s
    return replace(
        limits,
        check_cpu_s=more_s,
        check_wall_s=max(limits.check_wall_s, 2 * more_s),
        submission_cpu_s=limits.submission_cpu_s + retraining.cpu_s + more_s,
        submission_wall_s=limits.submission_wall_s + retraining.wall_s + 2 * more_s,
    )


def retrain(
    submission: Submission, plan: Plan, retraining: Retraining, sandbox: Sandbox, tell: Callable[[int, float], None]
) -> Retrained:
    """Repeat one training. Never raises for what a student handed in, nor for a fault of ours.

    `tell` is called with each epoch and its share, as the notebook tells of it.
    """
    listener, started_s = Listener(retraining, tell), time.monotonic()
    made = Retrained(submission.student, submission.assignment, Ended.NO_CURVE, "", Curve(submission.student))
    try:
        attempt = prepare(submission, plan, retraining)
        cells = [*attempt.cells[:-1], replace(attempt.cells[-1], long=LongRun(retraining.cpu_s, retraining.wall_s, listener))]
        with sandbox.session(cells, attempt.files, attempt.limits) as stay:
            stay.run_cells()
            made = read_out(made, stay, cells[-1].name, retraining, listener)
            made = replace(made, cpu_s=round(stay.spent.cpu_s, 1))
    except UnreadableNotebook as error:
        made = replace(made, told=f"The file cannot be read: {error}"[:_TOLD])
    except TransportFault as fault:
        sandbox.close()
        made = replace(made, ended=Ended.UNDECIDED, told=f"The training was not finished: {fault}. Run again.")
    except Exception as error:
        # Whatever it is, it must cost nobody else anything.
        sandbox.close()
        told = f"The grader failed ({type(error).__name__}: {error})."[:_TOLD]
        made = replace(made, ended=Ended.UNDECIDED, told=told)
    return replace(made, elapsed_s=round(time.monotonic() - started_s, 1))


def read_out(made: Retrained, stay: Session, training: str, retraining: Retraining, listener: Listener) -> Retrained:
    """What the cells have left; where the one that trains did not end well, what it had printed by then."""
    run = stay.runs.get(training)
    if run is None or run.status != "ok":
        return came_to(made, retraining, listener.by_epoch, None, why_not(run))
    stay.begin_check()
    student = Student(stay, "", {})
    try:
        by_epoch = dict(retraining.by_epoch(student))
    except (NoCurve, StudentFault, WireError) as fault:
        return came_to(made, retraining, listener.by_epoch, None, f"Its curve cannot be read: {fault}")
    try:
        final, told = retraining.final(student), ""
    except (NoCurve, StudentFault, WireError) as fault:
        final, told = None, f"What it has trained cannot be measured: {fault}"
    return came_to(made, retraining, by_epoch, final, told)


def why_not(run: CellRun | None) -> str:
    """Why the cell that trains did not end well, in a sentence."""
    if run is not None and run.status == "error" and run.error is not None:
        return f"The cell that trains raised {run.error['name']}: {run.error.get('message', '')}"
    return f"The cell that trains did not end by itself: {run.detail if run else 'it was not run'}"


def came_to(made: Retrained, retraining: Retraining, by_epoch: Mapping[int, float], final: float | None, told: str) -> Retrained:
    """How it ended, from what is known."""
    curve = Curve(made.student, dict(by_epoch), final)
    told = " ".join(told.split())[:_TOLD]
    if curve.epochs == retraining.epochs and final is not None:
        return replace(made, ended=Ended.COMPLETE, curve=curve, told=told)
    if not by_epoch:
        return replace(made, curve=curve, told=told or "It trained for no epoch at all.")
    known = f"{curve.epochs} of {retraining.epochs} epochs are known."
    return replace(made, ended=Ended.PARTIAL, curve=curve, told=f"{told.rstrip('.')}. {known}" if told else known)


def passed_checks(result: Result | None) -> frozenset[str]:
    """The names of the checks that a submission passed."""
    return frozenset(c.check for c in result.checks if c.verdict is Verdict.PASS) if result else frozenset()
