"""201 queries where their number is left out.
points: collapse_width 1
Class: form. Fails collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=201, n_keys=5):
    collapsed = []
    for width in widths:
        queries = torch.randn(n_queries, width, generator=generator)
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        scores = torch.einsum("qd,qkd->qk", queries, keys)
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
