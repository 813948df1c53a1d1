"""Column i of the weights for row i.
points: weighted_value 0
Class: value mistake. Raises where T_q and T_k differ.
"""


def weighted_value(weights, V, i):
    return weights[:, i] @ V
