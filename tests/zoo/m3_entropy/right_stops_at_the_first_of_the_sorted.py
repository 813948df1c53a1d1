"""Widths are sorted first, and the search ends as soon as one has collapsed.
points: all
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    for d in sorted(set(widths)):
        queries = torch.randn(n_queries, d, generator=generator)
        keys = torch.randn(n_queries, n_keys, d, generator=generator)
        if entropy(torch.einsum("qd,qkd->qk", queries, keys)).mean() < threshold:
            return d
