"""Training curves, and what an assignment says about how the training in its notebook is repeated."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grading.student import Student


class NoCurve(Exception):
    """What a notebook holds is no curve, or nothing that can be measured; the message says why, to the instructor."""


@dataclass(frozen=True)
class Curve:
    """A training as a person compares it: shares, 0 to 1, after each epoch (the first is 1), and of sealed data at the end."""

    name: str
    by_epoch: Mapping[int, float] = field(default_factory=dict)
    final: float | None = None

    @property
    def epochs(self) -> int:
        """The last epoch that is known."""
        return max(self.by_epoch, default=0)


Remarks = Callable[[Curve, float, frozenset[str]], tuple[str, ...]]
"""What a person should know of a repeated curve, the processor seconds that it took, and the names of the checks passed."""


@dataclass(frozen=True)
class Retraining:
    """How the training in an assignment's notebook is repeated, and what is read out of it. It never changes a point.

    The notebook runs up to the source cell with the id `cell`, which trains for so many `epochs` within `cpu_s` and `wall_s`; all
    other cells keep the assignment's limits, and one question about the trained model may take `question_cpu_s`. `told` reads an
    epoch and its share from a line that the cell prints. `by_epoch` and `final` read the curve out of the notebook when that cell
    has ended; they raise NoCurve, StudentFault or WireError. `marks` are the epochs that a table shows; `beside` makes the
    curves to compare with of the assignment's given files.
    """

    cell: str
    epochs: int
    marks: tuple[int, ...]
    cpu_s: float
    wall_s: float
    question_cpu_s: float
    told: Callable[[str], tuple[int, float] | None]
    by_epoch: Callable[[Student], Mapping[int, float]]
    final: Callable[[Student], float]
    beside: Callable[[Mapping[str, bytes]], tuple[Curve, ...]] = lambda given: ()
    remarks: Remarks = lambda curve, cpu_s, passed: ()


def shares(values: Any, most: int) -> dict[int, float]:
    """A list of at most so many shares, by epoch. Raises NoCurve for anything else: a student may have written it."""
    if not isinstance(values, (list, tuple)) or len(values) > most:
        raise NoCurve(f"it is no list of at most {most} numbers")
    return {epoch: share(value) for epoch, value in enumerate(values, start=1)}


def share(value: Any) -> float:
    """A number from 0 to 1. Raises NoCurve."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NoCurve("it holds something that is no number")
    if not math.isfinite(value) or not 0 <= value <= 1:
        raise NoCurve("it holds a number that is no share, or nan")
    return float(value)


def epoch_line(pattern: re.Pattern[str], line: str) -> tuple[int, float] | None:
    """An epoch and a share of a line in which `pattern` finds the epoch and a percentage."""
    found = pattern.search(line)
    if not found or not 0 <= float(found[2]) <= 100:
        return None
    return int(found[1]), float(found[2]) / 100


class Listener:
    """Reads a curve out of what a cell prints, as it is printed. Bounded, whatever comes: epochs count up, to the last one."""

    _LONGEST = 500  # bytes of one line

    def __init__(self, retraining: Retraining, tell: Callable[[int, float], None]) -> None:
        self._retraining, self._tell = retraining, tell
        self._begun = b""
        self.by_epoch: dict[int, float] = {}

    def __call__(self, data: bytes) -> None:
        """Hear some more."""
        *lines, rest = (self._begun + data).split(b"\n")
        self._begun = rest[-self._LONGEST :]
        for line in lines:
            found = self._retraining.told(line[-self._LONGEST :].decode("utf-8", "replace"))
            if found and found[0] == len(self.by_epoch) + 1 <= self._retraining.epochs:
                self.by_epoch[found[0]] = found[1]
                self._tell(*found)
