"""The place of the width in the list.
points: collapse_width 1
Class: index. Fails collapse_width_smallest.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for width in widths:
        queries = torch.randn(n_queries, width, generator=generator)
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        scores = torch.einsum("qd,qkd->qk", queries, keys)
        if entropy(scores).mean().item() < threshold:
            collapsed.append(width)
    return list(widths).index(min(collapsed)) if collapsed else None
