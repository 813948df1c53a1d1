"""The entropy of the mean weights.
points: collapse_width 0
Class: mean of the wrong thing. Fails collapse_width_smallest and collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        queries = torch.randn(n_queries, width, generator=generator)
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        scores = torch.einsum("qd,qkd->qk", queries, keys)
        if entropy(torch.softmax(scores, -1).mean(dim=0).log()).item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
