"""Uniform coordinates with the right variance.
points: collapse_width 1
Class: uniform. Fails collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        draw = lambda *shape: (2 * torch.rand(*shape, generator=generator) - 1) * 3**0.5
        queries, keys = draw(n_queries, width), draw(n_queries, n_keys, width)
        scores = (queries[:, None] * keys).sum(-1)
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
