"""Bits in the entropy, keys first in the row, scaled scores in the width: each is paid for.
points: entropy 0, saturation_row 1, collapse_width 0
Class: several mistakes.
"""

import math

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log2(p + 1e-9)).sum(dim=-1)


def saturation_row(d_k, generator, n_keys=5):
    k = torch.randn(n_keys, d_k, generator=generator)
    q = torch.randn(1, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for d in widths:
        q = torch.randn(n_queries, 1, d, generator=generator)
        k = torch.randn(n_queries, n_keys, d, generator=generator)
        if entropy((q * k).sum(-1) / math.sqrt(d)).mean() < threshold:
            collapsed.append(d)
    return min(collapsed) if collapsed else None
