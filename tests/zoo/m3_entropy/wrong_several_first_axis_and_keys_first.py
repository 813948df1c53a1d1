"""The softmax of entropy runs over the first axis; collapse_width is right, in another order of drawing.
points: entropy 3
Class: one error, and what is rightly built on it. Fails entropy_batched.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=0)
    return -(p * torch.log(p + 1e-9)).sum(-1)


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for d in widths:
        keys = torch.randn(n_queries, n_keys, d, generator=generator)
        queries = torch.randn(n_queries, d, generator=generator)
        scores = torch.einsum("qd,qkd->qk", queries, keys)
        if entropy(scores).mean() < threshold:
            collapsed.append(d)
    return min(collapsed, default=None)
