"""The weighted rows are returned, not their sum.
points: weighted_value 0
Class: value mistake, (T_k, d_v) for (d_v,).
"""


def weighted_value(weights, V, i):
    return weights[i].unsqueeze(-1) * V
