"""Normal scores of the right variance: nothing is multiplied.
points: collapse_width 1
Class: Gaussian shortcut. Fails collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        scores = torch.randn(n_queries, n_keys, generator=generator) * width**0.5
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
