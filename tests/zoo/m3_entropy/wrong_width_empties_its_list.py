"""The caller's list is empty afterwards.
points: collapse_width 1
Class: argument changed. Fails collapse_width_smallest.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    best = None
    while widths:
        d = widths.pop(0)
        q = torch.randn(n_queries, d, generator=generator)
        k = torch.randn(n_queries, n_keys, d, generator=generator)
        if entropy((k @ q[:, :, None])[..., 0]).mean() < threshold and (best is None or d < best):
            best = d
    return best
