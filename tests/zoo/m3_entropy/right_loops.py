"""Loops over everything: keys, rows, entries, queries.
points: all
"""

import math

import torch


def entropy(logits):
    if logits.dim() > 1:
        return torch.stack([entropy(part) for part in logits])
    total = logits.new_zeros(())
    for p in torch.softmax(logits, dim=0):
        if p > 0:
            total = total - p * torch.log(p)
    return total


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = torch.tensor([float(torch.dot(q[0], key)) for key in k])
    scaled = torch.tensor([float(x) / math.sqrt(d_k) for x in raw])
    spreads = []
    for scores in (raw, scaled):
        mean = sum(scores.tolist()) / n_keys
        spreads.append(math.sqrt(sum((x - mean) ** 2 for x in scores.tolist()) / (n_keys - 1)))
    return SaturationRow(*spreads, float(entropy(raw)), float(entropy(scaled)))


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=0)
    J = torch.zeros(len(p), len(p), dtype=logits.dtype)
    for i in range(len(p)):
        for j in range(len(p)):
            J[i, j] = p[i] * (1 - p[i]) if i == j else -p[i] * p[j]
    return J


def gradient_norm(logits):
    if logits.dim() > 1:
        return torch.stack([gradient_norm(part) for part in logits])
    return torch.sqrt(sum(entry**2 for row in softmax_jacobian(logits) for entry in row))
