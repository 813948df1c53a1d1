"""Exponentials without taking the largest logit off.
points: entropy 3
Class: overflow at 1e4. Fails entropy_extremes.
"""

import torch


def entropy(logits):
    powers = torch.exp(logits)
    p = powers / powers.sum(dim=-1, keepdim=True)
    return -torch.xlogy(p, p).sum(dim=-1)
