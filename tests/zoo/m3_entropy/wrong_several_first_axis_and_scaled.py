"""The softmax of entropy runs over the first axis, and collapse_width scales: two errors.
points: entropy 3, collapse_width 0
Class: two errors. Fails entropy_batched, collapse_width_smallest and collapse_width_draws.
"""

import math

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=0)
    return -(p * torch.log(p + 1e-9)).sum(-1)


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for d in widths:
        queries = torch.randn(n_queries, d, generator=generator)
        keys = torch.randn(n_queries, n_keys, d, generator=generator)
        scores = torch.einsum("qd,qkd->qk", queries, keys) / math.sqrt(d)
        if entropy(scores).mean() < threshold:
            collapsed.append(d)
    return min(collapsed, default=None)
