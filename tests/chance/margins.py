"""How near an answer comes to a tolerance, and what follows for draws that nobody has made.

A check with random inputs compares within a tolerance. Of a right answer the **margin** is the largest error over what is
allowed, below 1; of a wrong one what is allowed over the error of the first comparison that it fails, below 1 too. Either way
the verdict is another one only where the margin reaches 1.

**The tail.** Margins of n draws are independent and of one law. What they exceed a high threshold u by has nearly a generalized
Pareto law (Pickands, 1975; Balkema and de Haan, 1974), whatever theirs is: P(M > m) = (k / n) (1 + x (m - u) / s)^(-1 / x),
with k of n beyond u. Shape x and scale s come from probability-weighted moments (Hosking and Wallis, Technometrics 1987), whose
x has a standard error of about 1.2 / sqrt(k); three of these are added. So a bounded error, whose x is below 0, is taken for
one with a power for a tail, and the estimate errs on the safe side.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grader_tests.m3 import entropies
from grader_tests.vocabulary import draws
from grading import expectations

FEWEST = 100  # margins: fewer say nothing of a tail


@dataclass
class Margins:
    """Errors over what is allowed, comparison by comparison, in one run of a check."""

    ratios: list[float] = field(default_factory=list)

    @property
    def of_a_right_answer(self) -> float:
        """The nearest that a comparison came to turning, from either side; 0 where nothing was compared within a tolerance.

        Comparisons that only choose a hint are among them, so that this may be far too large, and never too small.
        """
        return max((min(ratio, 1 / ratio) if ratio else 0.0 for ratio in self.ratios), default=0.0)

    @property
    def of_a_wrong_answer(self) -> float:
        """What is allowed over the first error that was too large; 0 where what failed was no matter of a tolerance."""
        return next((1 / ratio for ratio in self.ratios if ratio > 1), 0.0)


def ratio_of(gap: Tensor, allowed: Tensor | float) -> float:
    """The largest error over what is allowed; infinite for NaN and where nothing is allowed and something differs."""
    ratios = torch.where(gap == 0, 0.0, gap / allowed)
    return math.inf if bool(ratios.isnan().any()) else float(ratios.max()) if ratios.numel() else 0.0


def close_ratio(actual: Tensor, expected: Tensor, tolerance: float) -> float | None:
    """Of `expectations.close`; None where shapes decide."""
    if actual.shape != expected.shape or actual.is_complex() or expected.numel() == 0:
        return None
    a, e = actual.detach().double(), expected.detach().double()
    return ratio_of((a - e).abs(), tolerance * (e.abs() + e.abs().max()))


def within_ratio(found: Tensor, expected: Tensor, tolerance: float) -> float | None:
    """Of `entropies.within`, number by number."""
    return ratio_of((found.detach().double() - expected.double()).abs(), tolerance)


def agree_ratio(found: Tensor, expected: Tensor) -> float | None:
    """Of `draws.agree`."""
    if found.shape != expected.shape or not found.dtype.is_floating_point:
        return None
    e = expected.double()
    return ratio_of((found.detach().double() - e).abs(), draws.DRAWN * e.abs().clamp(min=1.0))


Ratio = Callable[..., float | None]
COMPARISONS: Sequence[tuple[Callable[..., Any], Ratio]] = (
    (expectations.close, close_ratio),
    (entropies.within, within_ratio),
    (draws.agree, agree_ratio),
)


@contextmanager
def recorded() -> Iterator[Margins]:
    """Every comparison within a tolerance is noted, wherever it is asked; its answer stays what it is.

    Modules of checks that are not imported yet are not reached: import the assignment's first.
    """
    margins = Margins()
    places = []
    for compare, ratio in COMPARISONS:
        noting = _noting(compare, ratio, margins)
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith(("grading", "grader_tests")):
                places += [(module, name, compare, noting) for name, value in vars(module).items() if value is compare]
    try:
        for module, name, _, noting in places:
            setattr(module, name, noting)
        yield margins
    finally:
        for module, name, compare, _ in places:
            setattr(module, name, compare)


def _noting(compare: Callable[..., Any], ratio: Ratio, margins: Margins) -> Callable[..., Any]:
    def noting(*arguments: Any, **named: Any) -> Any:
        found = ratio(*arguments, **named)
        if found is not None:
            margins.ratios.append(found)
        return compare(*arguments, **named)

    return noting


def tail_chance(margins: Sequence[float]) -> float:
    """An upper estimate of P(M > 1) from independent margins; 0 where nothing was compared, 1 where one has reached 1.

    k is the root of their number. Raises ValueError for fewer than FEWEST.
    """
    if len(margins) < FEWEST:
        raise ValueError("a tail needs a hundred margins")
    found = torch.tensor(margins, dtype=torch.float64).sort(descending=True).values
    if float(found[0]) == 0 or float(found[0]) >= 1:
        return float(found[0] >= 1)
    k = math.isqrt(len(found))
    threshold = float(found[k])
    shape, scale = pareto_of(found[:k] - threshold)
    shape = max(shape, 0.0) + 3 * 1.2 / math.sqrt(k)
    return k / len(found) * math.exp(-math.log1p(shape * (1 - threshold) / scale) / shape)


def pareto_of(excesses: Tensor) -> tuple[float, float]:
    """Shape and scale of a generalized Pareto law, from (k,) numbers that are not negative, in any order.

    By the moments a_0 = E y and a_1 = E y (1 - F(y)): x = 2 - a_0 / (a_0 - 2 a_1), s = 2 a_0 a_1 / (a_0 - 2 a_1). Numbers that
    are all alike have no scale: theirs is taken for their size, or next to nothing.
    """
    y = excesses.double().sort().values
    above = 1 - (torch.arange(1, len(y) + 1, dtype=torch.float64) - 0.35) / len(y)
    first, second = float(y.mean()), float((y * above).mean())
    spread = first - 2 * second
    if spread <= 1e-12 * first:
        return 0.0, max(first, 1e-12)
    return 2 - first / spread, 2 * first * second / spread
