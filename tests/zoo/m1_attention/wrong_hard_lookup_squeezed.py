"""A value of width one comes back without its axis.
points: hard_lookup 1
Class: shapes. Fails hard_lookup_ties (values of width one).
"""

def hard_lookup(query, keys, values):
    return values[(keys @ query).argmax()].squeeze()
