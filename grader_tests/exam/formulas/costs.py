"""What attention costs: numbers held, pairs compared, layers needed."""

from __future__ import annotations

FLOAT32_BYTES = 4


def distance(i: int, j: int) -> int:
    """Recurrent steps between two positions."""
    return j - i


def one_more(i: int, j: int) -> int:
    """Positions from the one to the other, both counted."""
    return j - i + 1


def layers_of_three(n: int) -> int:
    """Layers of kernel size 3 that see n positions, n odd, from the middle one: each adds one to each side."""
    return (n - 1) // 2


def a_third(n: int) -> int:
    """n over 3, rounded up: as if each layer added three positions."""
    return -(-n // 3)


def all_positions(n: int) -> int:
    """n - 1: as if each layer added one position."""
    return n - 1


def squared(k: int) -> int:
    """Growth of the number of pairs."""
    return k * k


def doubled(k: int) -> int:
    """The growth of queries and of keys, added where they should be multiplied."""
    return 2 * k


def feature_count(B: int, m: int, n: int, d_a: int) -> int:
    """Numbers in the match features of additive attention."""
    return B * m * n * d_a


def feature_bytes(B: int, m: int, n: int, d_a: int) -> int:
    """Bytes of the match features in float32."""
    return FLOAT32_BYTES * feature_count(B, m, n, d_a)


def score_bytes(B: int, m: int, n: int) -> int:
    """Bytes of the scores in float32."""
    return FLOAT32_BYTES * B * m * n


def projection_bytes(B: int, m: int, n: int, d_a: int) -> int:
    """Bytes of projected queries and projected keys in float32."""
    return FLOAT32_BYTES * B * (m + n) * d_a


def feature_ratio(B: int, m: int, n: int, d_a: int) -> int:
    """How many times as many numbers the features hold as the scores."""
    return feature_count(B, m, n, d_a) // (B * m * n)


def keys_and_features(n: int, d_a: int) -> int:
    """The features of one query: the axis of keys counted on one side only."""
    return n * d_a


def pairs(m: int, n: int) -> int:
    """Pairs of a query and a key in one example."""
    return m * n
