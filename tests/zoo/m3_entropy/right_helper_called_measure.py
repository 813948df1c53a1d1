"""A helper with a name that comes to mind first: measure.
points: all
"""

import torch


def measure(scores):
    return entropy(scores).mean()


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for d in widths:
        q = torch.randn(n_queries, d, generator=generator)
        k = torch.randn(n_queries, n_keys, d, generator=generator)
        if measure((k @ q[..., None])[..., 0]) < threshold:
            collapsed.append(d)
    return min(collapsed, default=None)
