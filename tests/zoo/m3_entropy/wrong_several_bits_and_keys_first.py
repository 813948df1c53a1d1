"""Bits in the entropy; collapse_width is right, query by query and with the keys first.
points: entropy 0
Class: one error, and what is rightly built on it. Fails entropy_values.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log2(p + 1e-9)).sum(dim=-1)


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for d in widths:
        rows = []
        for _ in range(n_queries):
            keys = torch.randn(n_keys, d, generator=generator)
            rows.append(keys @ torch.randn(d, generator=generator))
        if entropy(torch.stack(rows)).mean() < threshold:
            collapsed.append(d)
    return min(collapsed, default=None)
