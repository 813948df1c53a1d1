"""Shapes of what attention makes on its way."""

from __future__ import annotations


def projected_queries(B: int, m: int, d_a: int) -> tuple[int, ...]:
    """Queries in the alignment space."""
    return B, m, d_a


def match_features(B: int, m: int, n: int, d_a: int) -> tuple[int, ...]:
    """tanh of the sum of every query with every key, in the alignment space."""
    return B, m, n, d_a


def scores(B: int, m: int, n: int) -> tuple[int, ...]:
    """A score for every query and key."""
    return B, m, n


def context(B: int, m: int, d_e: int) -> tuple[int, ...]:
    """Weights times values, where the values are the encoder's states."""
    return B, m, d_e


def projected_keys(B: int, n: int, d_a: int) -> tuple[int, ...]:
    """Keys in the alignment space."""
    return B, n, d_a


def key_projection(d_e: int, d_a: int) -> tuple[int, ...]:
    """The matrix that rows of width d_e are multiplied by from the right."""
    return d_e, d_a
