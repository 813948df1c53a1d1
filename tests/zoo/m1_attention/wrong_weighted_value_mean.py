"""The mean of the weighted rows.
points: weighted_value 0
Class: value mistake: divided by the number of keys once more.
"""


def weighted_value(weights, V, i):
    return (weights[i].unsqueeze(-1) * V).mean(dim=0)
