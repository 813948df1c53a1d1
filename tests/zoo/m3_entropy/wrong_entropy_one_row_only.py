"""Sums by index: a single row is all it can do.
points: entropy 3
Class: only looks right without a batch. Fails entropy_batched.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=0)
    return -sum(torch.xlogy(p[i], p[i]) for i in range(len(p)))
