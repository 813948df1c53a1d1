"""How near an answer comes to a tolerance, and what follows for draws that nobody has made.

A check with random inputs compares within a tolerance. Of a right answer the **margin** is the largest error over what is
allowed, below 1; of a wrong one what is allowed over the error of the first comparison that it fails, below 1 too. Either way
the verdict is another one only where the margin reaches 1.

**The tail.** Margins of n draws are independent and of one law. Its upper tail is no heavier than a power: P(M > m) falls as m^-a
or faster, where Hill's estimate of a from the k largest of n has a relative standard error of 1 / sqrt(k); three of these are
taken off. Powers are the heaviest tail there is reason for (an error that is divided by a size which may be near zero), so that
for rounding errors, which are bounded, the estimate errs on the safe side: P(M > 1) <= (k / n) m_k^a.
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


@dataclass
class Margins:
    """Errors over what is allowed, comparison by comparison, in one run of a check."""

    ratios: list[float] = field(default_factory=list)

    @property
    def of_a_right_answer(self) -> float:
        """The nearest that a comparison came to turning, from either side; 0 where nothing was compared within a tolerance."""
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

    k is the root of their number, at least 10: fewer say nothing of a tail. Raises ValueError for fewer than 100.
    """
    if len(margins) < 100:
        raise ValueError("a tail needs a hundred margins")
    found = sorted(margins, reverse=True)
    if found[0] == 0 or found[0] >= 1:
        return float(found[0] >= 1)
    k = max(10, math.isqrt(len(found)))
    threshold = max(found[k], found[0] * 1e-6)  # where hardly any comparison differs at all
    spread = sum(math.log(m / threshold) for m in found[:k] if m > threshold) / k
    power = (1 - 3 / math.sqrt(k)) / max(spread, 1e-3)
    return k / len(found) * math.exp(power * math.log(threshold))
