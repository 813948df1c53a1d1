"""What the checks say of mutants, in the sandbox: killed, surviving, or ungraded, which is a fault of ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from grading.course import Plan, find_course, load_plan, solved_files
from grading.limits import Limits
from grading.sandboxed import Sandbox, launch_for
from grading.submission import Submission
from grading.verdict import Result, Verdict
from tests.mutants.population import Mutant

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


def judge_all(name: str, mutants: Sequence[Mutant], seed: int, workers: int) -> list[Judged]:
    """What becomes of some mutants of one assignment, in the order given."""
    shares = [mutants[i::workers] for i in range(min(workers, len(mutants)))]
    if not shares:
        return []
    with ProcessPoolExecutor(len(shares)) as pool:
        found = list(pool.map(partial(judge_some, name, seed), shares))
    return [found[i % len(shares)][i // len(shares)] for i in range(len(mutants))]


def judge_some(name: str, seed: int, mutants: Sequence[Mutant]) -> list[Judged]:
    """What becomes of a share, in a sandbox of its own."""
    plan = load_plan(find_course(), name)
    with Sandbox(launch_for(trust_students=False)) as sandbox:
        return list(judge(plan, mutants, seed, lambda submission, plan, seed: sandbox.score(submission, plan, seed).result))


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
