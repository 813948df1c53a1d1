"""Logits beyond 50 are cut off, which keeps exp from overflowing.
points: entropy 3
Class: overflow at 1e4, hidden. Fails entropy_extremes.
"""

import torch


def entropy(logits):
    powers = torch.exp(logits.clamp(-50, 50))
    p = powers / powers.sum(dim=-1, keepdim=True)
    return -torch.xlogy(p, p).sum(dim=-1)
