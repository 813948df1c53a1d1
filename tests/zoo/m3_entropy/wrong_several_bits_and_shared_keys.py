"""Bits in the entropy, and all queries share their keys: two errors.
points: entropy 0, collapse_width 1
Class: two errors. Fails entropy_values and collapse_width_draws.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log2(p + 1e-9)).sum(dim=-1)


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for d in widths:
        queries = torch.randn(n_queries, d, generator=generator)
        scores = queries @ torch.randn(n_keys, d, generator=generator).T
        if entropy(scores).mean() < threshold:
            collapsed.append(d)
    return min(collapsed, default=None)
