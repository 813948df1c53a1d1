"""A loop that never ends."""

import torch


def causal_mask(T):
    mask = torch.zeros(T, T, dtype=torch.bool)
    i = 0
    while i < T:
        mask[i, : i + 1] = True
    return mask
