"""Variances of dot products, and what divides them away."""

from __future__ import annotations

import math


def root(d_k: int) -> float:
    """The square root of a width."""
    return math.sqrt(d_k)


def square(d_k: int) -> int:
    """The square of a width."""
    return d_k * d_k


def mixed_divisor(d_k: int, wide: int, var_k: float) -> float:
    """sqrt(wide var_k + d_k - wide): the divisor where `wide` coordinates of keys have variance var_k and all others one."""
    return math.sqrt(mixed_variance(d_k, wide, var_k))


def mixed_variance(d_k: int, wide: int, var_k: float) -> float:
    """wide var_k + d_k - wide: the variance of such a score."""
    return wide * var_k + d_k - wide


def all_wide_divisor(d_k: int, var_k: float) -> float:
    """sqrt(d_k var_k): the divisor if all coordinates of keys had the variance var_k."""
    return math.sqrt(d_k * var_k)


def sparse_variance(d_k: int, live: int, var_q: float) -> float:
    """live var_q / d_k: what sqrt(d_k) leaves where all but `live` coordinates of queries, of variance var_q, are always 0."""
    return live * var_q / d_k


def sparse_variance_undivided(live: int, var_q: float) -> float:
    """live var_q: the variance of such a score before the division."""
    return live * var_q


def sparse_variance_by_root(d_k: int, live: int, var_q: float) -> float:
    """live var_q / sqrt(d_k): as if a divisor divided the variance by itself and not by its square."""
    return live * var_q / math.sqrt(d_k)


def variance_of_live(var_q: float) -> float:
    """var_q: what sqrt(d_k) leaves where no coordinate of queries is 0."""
    return var_q
