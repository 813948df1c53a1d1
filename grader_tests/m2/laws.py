"""Statistical tests whose chance of failing a right answer is bounded for every sample size, without an asymptotic argument.

**One sample.** For n independent draws from a law F, the empirical distribution function F_n obeys (Dvoretzky, Kiefer and
Wolfowitz, with Massart's constant) P(sup |F_n - F| > e) <= 2 exp(-2 n e^2), whatever F is. `chance_distance(n)` solves
2 exp(-2 n e^2) = 1e-10 for e: a right answer exceeds it with a chance of at most 1e-10.

**Two samples.** Where F has no closed form, we draw N times from the reference and compare empirical functions: by the triangle
inequality a right answer exceeds chance_distance(n) + chance_distance(N) with a chance of at most 2e-10. Neither bound needs a
continuous law, so the rounding of float32 does no harm.

**Power.** A wrong answer with the law G, at distance D = sup |G - F|, stays below a bound e < D only if its empirical function
lies D - e away from G: missed with a chance of at most 2 exp(-2 n (D - e)^2), here called `missed(n, D, e)`. The distances D of
the zoo's answers stand in the docstring of each test; tests/test_m2_laws.py computes them again and holds every `missed` below
1e-6, and tests/measure_m2.py counts both kinds of error.

A check asks at most seven such bounds of 1e-10 of one answer: below 1e-9 together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from grading.checks import CheckFailed

FALSE_FAIL = 1e-10
CALLS_REFERENCE = 100_000


@dataclass(frozen=True)
class Outcome:
    """One statistic of an answer: right answers stay within the bound save with the chance that its test states."""

    name: str
    value: float
    bound: float
    about: str

    @property
    def passed(self) -> bool:
        """Whether the answer passes; NaN does not."""
        return self.value <= self.bound


def chance_distance(n: int) -> float:
    """What the empirical distribution function of n draws exceeds its law by with a chance of at most FALSE_FAIL."""
    return math.sqrt(math.log(2.0 / FALSE_FAIL) / (2.0 * n))


def missed(n: int, distance: float, bound: float) -> float:
    """An upper bound for the chance that n draws from a law at this distance stay within the bound."""
    return 2.0 * math.exp(-2.0 * n * max(0.0, distance - bound) ** 2)


def distance_to_law(sample: Tensor, cdf: Callable[[Tensor], Tensor]) -> float:
    """sup |F_n - F| of a sample (n,) and a distribution function; infinite where a number is not finite."""
    values = sample.double().sort().values
    if not bool(values.isfinite().all()):
        return math.inf
    steps = torch.arange(len(values) + 1, dtype=torch.float64) / len(values)
    expected = cdf(values)
    return float(torch.maximum(steps[1:] - expected, expected - steps[:-1]).max())


def distance_between(sample: Tensor, other: Tensor) -> float:
    """sup |F_n - G_m| of two samples; infinite where a number is not finite."""
    first, second = sample.double().sort().values, other.double().sort().values
    if not bool(first.isfinite().all()):
        return math.inf
    places = torch.cat([first, second])
    shares = [torch.searchsorted(s, places, right=True).double() / len(s) for s in (first, second)]
    return float((shares[0] - shares[1]).abs().max())


def law_outcome(name: str, sample: Tensor, cdf: Callable[[Tensor], Tensor], about: str) -> Outcome:
    """The one-sample test."""
    return Outcome(name, distance_to_law(sample, cdf), chance_distance(len(sample)), about)


def same_law_outcome(name: str, sample: Tensor, references: Iterable[Tensor], about: str) -> Outcome:
    """The two-sample test; where several laws are right, the nearest counts, which fails no right answer more often."""
    drawn = list(references)
    bound = chance_distance(len(sample)) + chance_distance(min(len(reference) for reference in drawn))
    return Outcome(name, min(distance_between(sample, reference) for reference in drawn), bound, about)


def calls_outcome(earlier: Tensor, later: Tensor, generator: torch.Generator, about: str) -> Outcome:
    """Products of two normal numbers, row by row from two calls with one generator: the ratio of their squares.

    Where one factor begins anew in every call, it cancels, whatever numbers it is made of, and the ratio's logarithm has a
    variance of pi^2 in place of 2 pi^2: sizes at distance 0.179. The bound is 0.0986 for 1,500 rows and 0.0880 for 2,000, 2e-10
    each: missed(1500, 0.179, 0.0986) = 2 exp(-19.3) < 1e-8.
    """
    right = torch.randn(4, CALLS_REFERENCE, generator=generator, dtype=torch.float64).square().log()
    law = (right[0] + right[1] - right[2] - right[3]).abs()
    logs = [(numbers.double().square() + 1e-300).log() for numbers in (earlier, later)]
    return same_law_outcome("calls", (logs[0] - logs[1]).abs(), [law], about)


def expect_outcomes(outcomes: Iterable[Outcome], hint: str = "") -> None:
    """Every statistic lies within its bound."""
    for outcome in outcomes:
        if not outcome.passed:
            came = f"{outcome.about} differ from the right law by {outcome.value:.3f}, where chance explains {outcome.bound:.3f}"
            if not math.isfinite(outcome.value):
                came = f"NaN or infinity among {outcome.about}"
            raise CheckFailed(came, "draws whose whole distribution is right, in any order of drawing", hint)
