"""Draws and results in float64; other numbers than float32 draws of the same state.
points: all
"""

import math

import torch


def dot_products(n, d_k, generator):
    q, k = (torch.randn(n, d_k, generator=generator, dtype=torch.float64) for _ in range(2))
    return (q * k).sum(-1)


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = dot_products(n, d_k, generator)
        rows.append((d_k, dots.var().item(), dots.std().item()))
    return rows


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        queries = torch.randn(n_queries, d, generator=generator, dtype=torch.float64) * var_q**0.5
        keys = torch.randn(n_queries, n_keys, d, generator=generator, dtype=torch.float64) * var_k**0.5
        raw = torch.einsum("qd,qkd->qk", queries, keys)
        scaled = raw / score_divisor(d, var_q, var_k)
        rows.append(
            [
                raw.var(),
                scaled.var(),
                raw.softmax(dim=-1).amax(dim=-1).mean(),
                scaled.softmax(dim=-1).amax(dim=-1).mean(),
            ]
        )
    return torch.stack([torch.stack(row) for row in rows])
