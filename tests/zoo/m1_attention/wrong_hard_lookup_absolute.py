"""The largest absolute dot product.
points: hard_lookup 0
Class: another score. A key that points the other way wins.
"""


def hard_lookup(query, keys, values):
    return values[(keys @ query).abs().argmax()]
