"""Coordinates of plus and minus one.
points: collapse_width 1
Class: another law. Fails collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        draw = lambda *shape: torch.randint(0, 2, shape, generator=generator) * 2.0 - 1.0
        scores = (draw(n_queries, 1, width) * draw(n_queries, n_keys, width)).sum(-1)
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
