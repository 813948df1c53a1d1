"""The best value, whatever the temperature.
points: soft_lookup 0
Class: equal to the hard lookup. Fails the values and, of the limits, the mean.
"""


def soft_lookup(query, keys, values, temperature):
    return values[(keys @ query / temperature).argmax()]
