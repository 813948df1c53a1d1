"""Keys from the seed after the generator's own, which stays what it was while the generator goes on.
points: collapse_width 1
Class: one side from a source of its own. Fails collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    own = torch.Generator().manual_seed((generator.initial_seed() + 1) % 2**62)
    for width in widths:
        queries = torch.randn(n_queries, width, generator=generator)
        keys = torch.randn(n_queries, n_keys, width, generator=own)
        scores = (keys @ queries[..., None])[..., 0]
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
