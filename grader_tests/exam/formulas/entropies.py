"""Entropies of softmax weights, in nats."""

from __future__ import annotations

import math


def entropy(shares: list[float]) -> float:
    """The entropy of numbers that need not be normalised; shares of 0 add nothing."""
    total = sum(shares)
    return sum(-share / total * math.log(share / total) for share in shares if share > 0)


def of_equal_keys(n: int) -> float:
    """n equal scores."""
    return entropy([1.0] * n)


def of_doubled_keys(n: int) -> float:
    """n equal scores, each of them twice."""
    return entropy([1.0] * (2 * n))


def of_remaining_keys(n: int, gone: int) -> float:
    """n equal scores of which some are excluded."""
    return entropy([1.0] * (n - gone))


def of_one_key() -> float:
    """All weight on one key."""
    return entropy([1.0])


def of_two_keys() -> float:
    """Two weights of one half."""
    return entropy([1.0, 1.0])


def of_four_keys() -> float:
    """Four equal weights."""
    return entropy([1.0] * 4)


def of_halves_and_quarters() -> float:
    """The weights 1/2, 1/4 and 1/4."""
    return entropy([2.0, 1.0, 1.0])


def of_one_two_three() -> float:
    """Weights as 1 to 2 to 3."""
    return entropy([1.0, 2.0, 3.0])


def of_two_apart(r: int) -> float:
    """Two scores that differ by ln r."""
    return entropy([float(r), 1.0])


def of_two_half_as_far(r: int) -> float:
    """Two scores that differed by ln r before they were halved."""
    return entropy([math.sqrt(r), 1.0])


def of_one_ahead(others: int, r: int) -> float:
    """A score of ln r beside others of 0."""
    return entropy([float(r), *[1.0] * others])
