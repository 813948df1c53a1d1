"""exp overflows at a tiny temperature and nan_to_num makes zeros of it.
points: soft_lookup 1
Class: overflow, hidden. Fails soft_lookup_limits by value.
"""

import torch


def soft_lookup(query, keys, values, temperature):
    numerators = torch.exp(keys @ query / temperature)
    weights = torch.nan_to_num(numerators / numerators.sum())
    return weights @ values
