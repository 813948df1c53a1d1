"""The published guard, inside every logarithm.
points: all
"""

import math

import torch
import torch.nn.functional as F


def entropy(x):
    p = F.softmax(x, dim=-1)
    return -(p * torch.log(p + 1e-9)).sum(-1)


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    means = {}
    for d in widths:
        q = torch.randn(n_queries, d, generator=generator)
        k = torch.randn(n_queries, n_keys, d, generator=generator)
        p = F.softmax(torch.bmm(k, q[:, :, None])[:, :, 0], dim=-1)
        means[d] = float(-(p * torch.log(p + 1e-9)).sum(-1).mean())
    below = [d for d, mean in means.items() if mean < threshold]
    return min(below) if below else None
