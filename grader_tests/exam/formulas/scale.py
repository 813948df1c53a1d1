"""Variances of dot products, and what divides them away."""

from __future__ import annotations

import math


def root(d_k: int) -> float:
    """The square root of a width."""
    return math.sqrt(d_k)


def square(d_k: int) -> int:
    """The square of a width."""
    return d_k * d_k


def general_divisor(d_k: int, var_q: float, var_k: float) -> float:
    """sqrt(d_k var_q var_k): what a score is divided by to bring its variance to one."""
    return math.sqrt(d_k * var_q * var_k)


def general_variance(d_k: int, var_q: float, var_k: float) -> float:
    """d_k var_q var_k: the variance of a score."""
    return d_k * var_q * var_k


def variance_after_root(var_q: float, var_k: float) -> float:
    """var_q var_k: what is left of the variance when a score is divided by sqrt(d_k) alone."""
    return var_q * var_k


def one() -> float:
    """The variance that scaling is meant to leave."""
    return 1.0
