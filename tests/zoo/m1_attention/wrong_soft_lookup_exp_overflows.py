"""Softmax by hand without taking the largest score off.
points: soft_lookup 1
Class: overflow. Fails soft_lookup_limits: NaN at a tiny temperature.
"""

import torch


def soft_lookup(query, keys, values, temperature):
    numerators = torch.exp(keys @ query / temperature)
    return numerators @ values / numerators.sum()
