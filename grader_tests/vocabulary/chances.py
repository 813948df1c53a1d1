"""How far a mean may stray by chance: bounds that hold for every sample size, without an asymptotic argument."""

from __future__ import annotations

import math

CHANCE = 1e-10


def bernstein(n: int, variance: float, width: float, chance: float = CHANCE) -> float:
    """What the mean of n independent numbers strays by, to either side, with at most this chance.

    Bernstein: numbers of this variance that lie within `width` of their mean have P(|mean - E| >= t) <=
    2 exp(-n t^2 / (2 variance + 2 width t / 3)). Solved for t: the root of a quadratic.
    """
    rate = math.log(2 / chance) / n
    linear = 2 * width * rate / 3
    return (linear + math.sqrt(linear**2 + 8 * variance * rate)) / 2
