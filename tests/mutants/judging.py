"""What the checks say of mutants, in the sandbox: killed, surviving, or ungraded, which is a fault of ours."""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from grading.course import Plan, find_course, load_plan, solved_files
from grading.limits import Limits
from grading.sandboxed import Sandbox, launch_for
from grading.submission import Submission
from grading.verdict import Result, Verdict
from tests.mutants.population import Mutant

_PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h
KILLED, SURVIVING, UNGRADED = "killed", "surviving", "ungraded"


@dataclass(frozen=True)
class Judged:
    """A mutant, what became of it, and the checks that it failed (of those that were asked) or the reason why it is ungraded."""

    mutant: Mutant
    outcome: str
    told: tuple[str, ...]


class Scorer(Protocol):
    """Scores a submission under a seed: a sandbox's `score`, its result alone."""

    def __call__(self, submission: Submission, plan: Plan, seed: int) -> Result:
        """The result."""


@dataclass(frozen=True)
class Run:
    """Mutants with what became of them, and the processor seconds that it took, those of the sandboxes included."""

    judged: Sequence[Judged]
    cpu_s: float


def judge_all(name: str, mutants: Sequence[Mutant], seed: int, workers: int) -> Run:
    """What becomes of some mutants of one assignment, in the order given."""
    shares = [mutants[i::workers] for i in range(min(workers, len(mutants)))]
    if not shares:
        return Run((), 0.0)
    with ProcessPoolExecutor(len(shares)) as pool:
        runs = list(pool.map(partial(judge_some, name, seed), shares))
    judged = [runs[i % len(shares)].judged[i // len(shares)] for i in range(len(mutants))]
    return Run(judged, sum(run.cpu_s for run in runs))


def judge_some(name: str, seed: int, mutants: Sequence[Mutant]) -> Run:
    """What becomes of a share, in a sandbox of its own: in a process that does nothing else."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # processes that a sandbox leaves behind are then ours to count
    plan = load_plan(find_course(), name)
    with Sandbox(launch_for(trust_students=False)) as sandbox:
        judged = list(judge(plan, mutants, seed, lambda submission, plan, seed: sandbox.score(submission, plan, seed).result))
    with suppress(ChildProcessError):
        while True:
            os.wait()
    return Run(judged, processor_seconds())


def processor_seconds() -> float:
    """Of this process and of all that it has started and seen end."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def judge(plan: Plan, mutants: Iterable[Mutant], seed: int, scorer: Scorer) -> Iterator[Judged]:
    """Ask first the checks of the cell that was changed, which kill nearly all; of who is left, all checks decide."""
    plan = replace(plan, assignment=replace(plan.assignment, limits=impatient(plan.assignment.limits)))
    files = solved_files(find_course(), plan.assignment)
    for mutant in mutants:
        submission = mutant.submission(plan, files)
        judged = outcome_of(mutant, scorer(submission, only_the_cell(plan, mutant.cell), seed))
        if judged.outcome != KILLED:
            judged = outcome_of(mutant, scorer(submission, plan, seed))
        yield judged


def impatient(limits: Limits) -> Limits:
    """The same limits, until one is reached: a mutant that has timed out once is killed, and nobody waits for more of it."""
    return replace(limits, cell_after_timeout_cpu_s=0.2, check_after_timeout_cpu_s=0.2, grace_s=0.2)


def only_the_cell(plan: Plan, cell: str) -> Plan:
    """The plan with the checks of one cell. Each check is asked by itself, so that one that fails here fails among all."""
    checks = tuple(check for check in plan.assignment.checks if check.cell == cell)
    return replace(plan, assignment=replace(plan.assignment, checks=checks))


def outcome_of(mutant: Mutant, result: Result) -> Judged:
    """Killed where a check failed; surviving where all passed; a mutant that could not be judged is never called killed."""
    failed = tuple(check.check for check in result.checks if check.verdict not in (Verdict.PASS, Verdict.UNGRADED))
    if result.status != "graded":
        reasons = [finding.message for finding in result.findings if finding.kind in ("grader-fault", "starved", "unreadable")]
        undecided = [check.check for check in result.checks if check.verdict is Verdict.UNGRADED]
        return Judged(mutant, UNGRADED, (*reasons, *undecided))
    return Judged(mutant, KILLED if failed else SURVIVING, failed)
