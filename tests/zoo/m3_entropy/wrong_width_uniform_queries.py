"""Uniform queries alone.
points: collapse_width 1
Class: uniform. Fails collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        queries = (2 * torch.rand(n_queries, 1, width, generator=generator) - 1) * 3**0.5
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        scores = (queries * keys).sum(-1)
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
