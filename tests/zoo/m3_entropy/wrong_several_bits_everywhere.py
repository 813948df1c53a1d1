"""Bits in the entropy, and again by hand wherever one is needed: paid for once.
points: entropy 0
Class: base 2, in several places. Fails entropy_values.
"""

import math

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log2(p + 1e-9)).sum(dim=-1)


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    bits = [-(p * torch.log2(p + 1e-9)).sum().item() for p in (raw.softmax(0), scaled.softmax(0))]
    return SaturationRow(raw.std().item(), scaled.std().item(), *bits)


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
    for d in widths:
        q = torch.randn(n_queries, 1, d, generator=generator)
        k = torch.randn(n_queries, n_keys, d, generator=generator)
        p = (q * k).sum(-1).softmax(-1)
        if -(p * torch.log2(p + 1e-9)).sum(-1).mean() < threshold:
            collapsed.append(d)
    return min(collapsed) if collapsed else None
