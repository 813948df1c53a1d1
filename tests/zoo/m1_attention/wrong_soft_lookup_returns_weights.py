"""The weights are returned.
points: soft_lookup 0
Class: value mistake, (n,) for (d_v,).
"""

import torch


def soft_lookup(query, keys, values, temperature):
    return torch.softmax(keys @ query / temperature, dim=0)
