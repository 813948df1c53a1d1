"""Of equals the mean, which is the limit of the soft lookup.
points: hard_lookup 1
Class: ties. Fails hard_lookup_ties.
"""


def hard_lookup(query, keys, values):
    scores = keys @ query
    return values[scores == scores.max()].mean(dim=0)
