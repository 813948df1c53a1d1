"""Queries from a generator of numpy with a seed of its own.
points: collapse_width 1
Class: one side from a source of its own. Fails collapse_width_draws.
"""

import numpy as np
import torch

def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        queries = torch.from_numpy(np.random.default_rng(0).standard_normal((n_queries, width))).float()
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        scores = (keys @ queries[..., None])[..., 0]
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
