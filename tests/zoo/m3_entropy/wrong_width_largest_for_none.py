"""Where no width collapses, the largest of all.
points: collapse_width 1
Class: None forgotten. Fails collapse_width_smallest.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        queries = torch.randn(n_queries, width, generator=generator)
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        scores = torch.einsum("qd,qkd->qk", queries, keys)
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=max(widths))
