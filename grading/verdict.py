"""What a check says of a submission, and what a scoring run says of a student."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Self


class Verdict(StrEnum):
    """The outcome of one check; only PASS earns points."""

    PASS = "PASS"
    FAIL = "FAIL"
    ERROR = "ERROR"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    FORBIDDEN = "FORBIDDEN"
    UNGRADED = "UNGRADED"


@dataclass(frozen=True)
class Finding:
    """Something a person may want to know about a submission; it never changes points by itself.

    `cell` is a grade id of the source notebook, or None where the finding is about the whole file.
    """

    kind: str
    cell: str | None
    message: str


ANOTHER = "another"
"""The word in the name of an option that stands for many answers."""


@dataclass(frozen=True)
class Item:
    """A question that was drawn for a student from several, and what was chosen: for the analysis of an exam's questions.

    `chosen` are the question's own names of the options, whatever letters they had in the paper; empty where nothing was
    answered. A name that holds the word `another` stands for answers that differ from each other. Instructors see it; students do
    not.
    """

    name: str
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckResult:
    """One check's verdict, the points it earned, and what the student reads about it."""

    check: str
    cell: str
    points: float
    max_points: float
    verdict: Verdict
    message: str
    item: Item | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """A check's result of what `Result.as_dict` made. Raises KeyError, TypeError or ValueError where it is none."""
        item = content.get("item")
        known = {**content, "verdict": Verdict(content["verdict"]), "item": item and Item(item["name"], tuple(item["chosen"]))}
        return cls(**known)


@dataclass(frozen=True)
class Result:
    """Everything a scoring run says about one submission.

    `points` and `max_points` count what a machine grades; `manual_points` wait for a person, beside them. A
    submission with status "ungraded" has earned at least `points`; it is never exported as a number.
    """

    student: str
    assignment: str
    status: str
    points: float
    max_points: float
    manual_points: float
    seed: int
    findings: tuple[Finding, ...]
    checks: tuple[CheckResult, ...]
    seconds: float
    sandbox: str

    def as_dict(self) -> dict[str, Any]:
        """The content of verdicts.json: plain dicts, lists, strings and numbers."""
        content = asdict(self)
        content["findings"] = list(content["findings"])
        content["checks"] = [{k: v for k, v in check.items() if k != "item" or v is not None} for check in content["checks"]]
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """A result of what `as_dict` made, further keys left aside. Raises KeyError, TypeError or ValueError where it is none."""
        known = {field.name: content[field.name] for field in fields(cls)}
        known["findings"] = tuple(Finding(**finding) for finding in content["findings"])
        known["checks"] = tuple(CheckResult.from_dict(check) for check in content["checks"])
        return cls(**known)

    def cell_points(self, cell: str) -> float | None:
        """Points of one grade cell; None where a check of it is ungraded or the cell has no check."""
        of_cell = [c for c in self.checks if c.cell == cell]
        if not of_cell or any(c.verdict is Verdict.UNGRADED for c in of_cell):
            return None
        return sum_points(c.points for c in of_cell)


def sum_points(points: Iterable[float]) -> float:
    """An exact sum: halves and quarters add up without rounding noise."""
    return math.fsum(points)


def earned(verdict: Verdict, max_points: float) -> float:
    """Points of a verdict: all for PASS, none for anything else."""
    return max_points if verdict is Verdict.PASS else 0.0


def decide_status(checks: Iterable[CheckResult]) -> str:
    """ "graded", or "ungraded" where any check could not be decided, or none was asked."""
    verdicts = [c.verdict for c in checks]
    undecided = not verdicts or any(v is Verdict.UNGRADED for v in verdicts)
    return "ungraded" if undecided else "graded"
