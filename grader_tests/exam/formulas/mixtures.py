"""What weights make of values, and what padded keys take of them."""

from __future__ import annotations

import math


def third_weight(w1: float, w2: float) -> float:
    """What two of three weights leave for the third."""
    return 1 - w1 - w2


def mix_of_three(w1: float, w2: float, a: float, b: float, c: float) -> float:
    """One coordinate of the output, from two of the three weights."""
    return w1 * a + w2 * b + third_weight(w1, w2) * c


def mix_without_third(w1: float, w2: float, a: float, b: float) -> float:
    """The sum of what the text gives weights for."""
    return w1 * a + w2 * b


def plain_mean(a: float, b: float, c: float) -> float:
    """Values that all weigh alike."""
    return (a + b + c) / 3


def heaviest_value(w1: float, w2: float, a: float, b: float, c: float) -> float:
    """The value with the largest weight, as a hard lookup has it."""
    return max(zip((w1, w2, third_weight(w1, w2)), (a, b, c), strict=True))[1]


def mix_of_two(r: int, a: float, b: float) -> float:
    """The output for two keys with the scores 0 and ln r."""
    return (a + r * b) / (1 + r)


def unnormalised_of_two(r: int, a: float, b: float) -> float:
    """The same with exponentials for weights."""
    return a + r * b


def second_alone(b: float) -> float:
    """The second value: a score of 0 taken for a weight of 0."""
    return b


def mean_of_two(a: float, b: float) -> float:
    """Both values weigh alike."""
    return (a + b) / 2


def masked_mix(p: int, q: int, a: float, b: float) -> float:
    """Keys with the scores ln p and ln q; a third is excluded."""
    return (p * a + q * b) / (p + q)


def unmasked_mix(p: int, q: int, s: int, a: float, b: float, c: float) -> float:
    """The third, with the score ln s, is not excluded."""
    return (p * a + q * b + s * c) / (p + q + s)


def zero_score_mix(p: int, q: int, a: float, b: float, c: float) -> float:
    """The third has the score 0 instead."""
    return (p * a + q * b + c) / (p + q + 1)


def mix_masked_too_late(p: int, q: int, s: int, a: float, b: float) -> float:
    """The third loses its weight after softmax, and nobody gets it."""
    return (p * a + q * b) / (p + q + s)


def leak(real: int, padded: int, s: float) -> float:
    """Weight of padded keys with score 0 beside real ones that all have the score s."""
    return padded / (padded + real * math.exp(s))


def leak_of_one(real: int, s: float) -> float:
    """Weight of a single padded key, were it alone."""
    return leak(real, 1, s)


def leak_by_count(real: int, padded: int) -> float:
    """The padded share of all keys."""
    return padded / (padded + real)


def nothing() -> float:
    """What a score of 0 would take if it were a mask."""
    return 0.0


def shrunk_value(real: int, padded: int, s: float, v: float) -> float:
    """The output where real keys hold v, padded keys hold 0, and padded scores are 0."""
    return v * (1 - leak(real, padded, s))


def value_itself(v: float) -> float:
    """The output where padded keys are excluded."""
    return v


def value_by_count(real: int, padded: int, v: float) -> float:
    """The value shrunk by the real share of all keys."""
    return v * (1 - leak_by_count(real, padded))


def rise(real: int, padded: int) -> float:
    """By how much an even spread over all keys has more entropy than one over the real ones, in nats."""
    return math.log((real + padded) / real)


def rise_in_bits(real: int, padded: int) -> float:
    """The same to base 2."""
    return math.log2((real + padded) / real)


def spread_of_all(real: int, padded: int) -> float:
    """The entropy of an even spread over all keys."""
    return math.log(real + padded)


def spread_of_padded(padded: int) -> float:
    """The entropy of an even spread over the padded keys alone."""
    return math.log(padded)
