"""The kill matrix of the zoo: which check fails on which answer, and what that says about the checks.

    ./course zoo [ASSIGNMENT …] [--json] [--seed N] [--workers N]

Rows are answers, columns checks. The exit status is 1 where a wrong answer earns everything, a right one does not, or no wrong
answer fails a check.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from grading.course import Plan, find_course, load_plan
from grading.sandboxed import Sandbox, launch_for
from grading.trial import as_submission
from grading.verdict import Result, Verdict
from tests.zoo_answers import Answer, read_zoo


@dataclass(frozen=True)
class Row:
    """One answer: whether it is meant to be right, the share of all points that it earned, and the checks that it failed."""

    answer: str
    right: bool
    earned: float
    failed: frozenset[str]


@dataclass(frozen=True)
class Matrix:
    """All answers to one assignment against all of its checks."""

    assignment: str
    checks: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def wrong(self) -> tuple[Row, ...]:
        """Rows of answers that are meant to be wrong."""
        return tuple(row for row in self.rows if not row.right)

    @property
    def accepted(self) -> list[str]:
        """Wrong answers that earn everything."""
        return [row.answer for row in self.wrong if row.earned >= 1]

    @property
    def rejected(self) -> list[str]:
        """Right answers that do not, or that fail a check."""
        return [row.answer for row in self.rows if row.right and (row.earned < 1 or row.failed)]

    @property
    def dead(self) -> list[str]:
        """Checks that no wrong answer fails."""
        return [check for check in self.checks if not any(check in row.failed for row in self.wrong)]

    @property
    def redundant(self) -> list[str]:
        """Checks that no wrong answer fails alone: without them every wrong answer of the zoo would still be caught."""
        alone = {next(iter(row.failed)) for row in self.wrong if len(row.failed) == 1}
        return [check for check in self.checks if check not in alone and check not in self.dead]

    @property
    def fragile(self) -> Mapping[str, str]:
        """Wrong answers that only one check catches, and that check."""
        return {row.answer: next(iter(row.failed)) for row in self.wrong if len(row.failed) == 1}

    @property
    def at_fault(self) -> bool:
        """Whether an instructor could not trust it."""
        return bool(self.accepted or self.rejected or self.dead)

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        rows = [{"answer": r.answer, "right": r.right, "earned": r.earned, "failed": sorted(r.failed)} for r in self.rows]
        named = {name: getattr(self, name) for name in ("accepted", "rejected", "dead", "redundant", "fragile")}
        return {"assignment": self.assignment, "checks": list(self.checks), "rows": rows, **named}


def row_of(answer: Answer, plan: Plan, result: Result) -> Row:
    """The row of a graded answer. Raises RuntimeError where it was not graded: that says nothing about a check."""
    if result.status != "graded":
        raise RuntimeError(f"{answer.path.name} was not graded: {[finding.message for finding in result.findings]}")
    earned = sum(result.cell_points(cell) or 0.0 for cell in plan.assignment.points)
    failed = frozenset(c.check for c in result.checks if c.verdict is not Verdict.PASS)
    return Row(answer.path.stem, answer.right, earned / sum(plan.assignment.points.values()), failed)


def judge_some(name: str, seed: int, answers: Sequence[Answer]) -> list[Row]:
    """Rows of some answers, in a sandbox of their own."""
    plan = load_plan(find_course(), name)
    with Sandbox(launch_for(trust_students=False)) as sandbox:
        handed_in = [as_submission(plan, answer.path.stem, answer.text, answer.files(plan)) for answer in answers]
        results = [sandbox.score(submission, plan, seed).result for submission in handed_in]
    return [row_of(answer, plan, result) for answer, result in zip(answers, results, strict=True)]


def make_matrix(name: str, seed: int, workers: int) -> Matrix:
    """Judge the whole zoo of one assignment."""
    answers = read_zoo(name)
    shares = [answers[i::workers] for i in range(min(workers, len(answers)))]
    with ProcessPoolExecutor(len(shares)) as pool:
        found = {row.answer: row for rows in pool.map(partial(judge_some, name, seed), shares) for row in rows}
    checks = tuple(check.name for check in load_plan(find_course(), name).assignment.checks)
    return Matrix(name, checks, tuple(sorted(found.values(), key=lambda row: (row.right, row.answer))))


def in_words(matrix: Matrix) -> Iterator[str]:
    """The matrix as a table of marks, and what follows from it."""
    numbers = {check: number for number, check in enumerate(matrix.checks, start=1)}
    right = len(matrix.rows) - len(matrix.wrong)
    yield f"{matrix.assignment}: {len(matrix.wrong)} wrong answers, {right} right ones, {len(matrix.checks)} checks"
    yield from (f"  {number:3} {check}" for check, number in numbers.items())
    widest = max(len(row.answer) for row in matrix.rows)
    for row in matrix.rows:
        marks = "".join("x" if check in row.failed else "." for check in matrix.checks)
        yield f"  {row.answer:{widest}} {marks} {100 * row.earned:5.1f} %"
    for title, names in (
        ("wrong answers that earn everything", matrix.accepted),
        ("right answers that do not", matrix.rejected),
        ("checks that no wrong answer fails", matrix.dead),
        ("checks that no wrong answer fails alone", matrix.redundant),
        ("wrong answers that one check alone catches", [f"{a} ({c})" for a, c in matrix.fragile.items()]),
    ):
        yield f"  {title}: {len(names)}{': ' if names else ''}{', '.join(names)}"


def main() -> int:
    """Print the matrices; 1 where one is at fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="course zoo")
    known = find_course().assignments()
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="all where none is named")
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object an assignment, nothing else")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    unknown = set(options.assignments) - set(known)
    if unknown or options.workers < 1:
        parser.error(f"there is no assignment {', '.join(sorted(unknown))}" if unknown else "--workers must be 1 or more")
    at_fault = False
    for name in options.assignments or known:
        matrix = make_matrix(name, options.seed, options.workers)
        print(json.dumps(matrix.as_dict()) if options.as_json else "\n".join(in_words(matrix)), flush=True)
        at_fault |= matrix.at_fault
    return int(at_fault)


if __name__ == "__main__":
    raise SystemExit(main())
