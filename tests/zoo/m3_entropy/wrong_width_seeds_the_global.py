"""The global generator is seeded from the one that is handed in.
points: collapse_width 1
Class: global generator. Fails collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    torch.manual_seed(int(torch.randint(2**31, (1,), generator=generator)))
    collapsed = []
    for width in widths:
        queries = torch.randn(n_queries, width)
        keys = torch.randn(n_queries, n_keys, width)
        scores = torch.einsum("qd,qkd->qk", queries, keys)
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return min(collapsed, default=None)
