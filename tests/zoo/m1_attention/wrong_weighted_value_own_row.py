"""The row of V that belongs to the heaviest key.
points: weighted_value 0
Class: a hard choice where an average was asked for.
"""


def weighted_value(weights, V, i):
    return V[weights[i].argmax()]
