"""collapse_width draws keys before queries, and in float64: its order is no part of the question.
points: all
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    found = []
    for d in widths:
        keys = torch.randn(n_queries, n_keys, d, generator=generator, dtype=torch.float64)
        queries = torch.randn(n_queries, d, generator=generator, dtype=torch.float64)
        scores = torch.einsum("qkd,qd->qk", keys, queries)
        found += [d] if entropy(scores).mean().item() < threshold else []
    return min(found, default=None)
