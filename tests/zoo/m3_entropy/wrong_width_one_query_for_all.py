"""One query meets all keys.
points: collapse_width 0
Class: shared query. Fails collapse_width_smallest and collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        query = torch.randn(width, generator=generator)
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        scores = keys @ query
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
