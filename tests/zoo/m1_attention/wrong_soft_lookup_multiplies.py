"""Multiplied by the temperature.
points: soft_lookup 0
Class: scale, multiplied. Cold becomes warm.
"""

import torch


def soft_lookup(query, keys, values, temperature):
    return torch.softmax(keys @ query * temperature, dim=0) @ values
