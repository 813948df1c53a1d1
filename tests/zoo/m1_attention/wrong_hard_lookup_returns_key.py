"""The best key is returned, not its value.
points: hard_lookup 0
Class: value mistake, (d,) for (d_v,).
"""


def hard_lookup(query, keys, values):
    return keys[(keys @ query).argmax()]
