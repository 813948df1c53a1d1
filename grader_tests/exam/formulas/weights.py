"""Softmax weights of a few scores."""

from __future__ import annotations

import math


def softmax(scores: list[float]) -> list[float]:
    """exp of each score over the sum of all."""
    shares = [math.exp(score) for score in scores]
    return [share / sum(shares) for share in shares]


def first_of_three(d_k: int, a: float, b: float, c: float) -> float:
    """The first key's weight from three raw dot products."""
    return softmax([score / math.sqrt(d_k) for score in (a, b, c)])[0]


def first_unscaled(a: float, b: float, c: float) -> float:
    """The same without the division."""
    return softmax([a, b, c])[0]


def first_over_width(d_k: int, a: float, b: float, c: float) -> float:
    """The same divided by the width, not by its root."""
    return softmax([score / d_k for score in (a, b, c)])[0]


def one_ahead(g: float, others: int) -> float:
    """The weight of one key whose score is g above all others."""
    return softmax([g, *[0.0] * others])[0]


def one_ahead_of_one(g: float) -> float:
    """The same against a single other key."""
    return softmax([g, 0.0])[0]


def one_ahead_linear(g: float, others: int) -> float:
    """As if weights were shared out like scores that begin at 1."""
    return (1 + g) / (1 + g + others)
