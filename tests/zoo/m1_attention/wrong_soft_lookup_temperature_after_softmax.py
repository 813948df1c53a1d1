"""The softmax is divided by the temperature.
points: soft_lookup 0
Class: scale, applied after softmax.
"""

import torch


def soft_lookup(query, keys, values, temperature):
    return (torch.softmax(keys @ query, dim=0) / temperature) @ values
