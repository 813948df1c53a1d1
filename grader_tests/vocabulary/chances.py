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


def surprise(count: int, n: int, share: float) -> float:
    """How far a count of n independent events lies from what their share lets expect: n times a Kullback-Leibler divergence.

    Chernoff: for x above the share P(count / n >= x) <= exp(-n D), D = x log(x / share) + (1 - x) log((1 - x) / (1 - share)), and
    the same below it. So a surprise of t or more has a chance of 2 exp(-t) at most.
    """
    pairs = ((count / n, share), (1 - count / n, 1 - share))
    return n * sum(found * math.log(found / expected) for found, expected in pairs if found > 0)


def surprise_limit(counts: int, chance: float = CHANCE) -> float:
    """What the surprises of several independent counts come to, together, with at most this chance.

    Each is at most log 2 plus an exponential number, by its bound above; these add up to a gamma number of that order.
    """
    beyond = 0.0
    while math.exp(-beyond) * sum(beyond**i / math.factorial(i) for i in range(counts)) > chance:
        beyond += 0.01
    return counts * math.log(2) + beyond
