"""Below a temperature of 1e-3 the best value is returned outright.
points: soft_lookup 1
Class: a short cut. Fails soft_lookup_limits: equal best keys no longer share.
"""

import torch


def soft_lookup(query, keys, values, temperature):
    scores = keys @ query
    if temperature < 1e-3:
        return values[scores.argmax()]
    return torch.softmax(scores / temperature, dim=0) @ values
