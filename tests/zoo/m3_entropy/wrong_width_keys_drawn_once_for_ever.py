"""Keys are drawn once for each shape, and kept.
points: collapse_width 1
Class: one side from a source of its own. Fails collapse_width_draws.
"""

import torch

KEPT = {}


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        queries = torch.randn(n_queries, width, generator=generator)
        keys = KEPT.setdefault(
            (n_queries, n_keys, width), torch.randn(n_queries, n_keys, width, generator=generator)
        )
        scores = (keys @ queries[..., None])[..., 0]
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
