"""Weights by distance, as kernel regression has them.
points: soft_lookup 0
Class: another score: near keys win, not keys with a large dot product.
"""

import torch


def soft_lookup(query, keys, values, temperature):
    squared_distances = ((keys - query) ** 2).sum(dim=-1)
    return torch.softmax(-squared_distances / (2 * temperature), dim=0) @ values
