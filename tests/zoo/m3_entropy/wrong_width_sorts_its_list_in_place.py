"""The caller's list is sorted in place.
points: collapse_width 1
Class: argument changed. Fails collapse_width_smallest.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    widths.sort()
    for d in widths:
        q = torch.randn(n_queries, d, generator=generator)
        k = torch.randn(n_queries, n_keys, d, generator=generator)
        if entropy((k @ q[:, :, None])[..., 0]).mean() < threshold:
            return d
