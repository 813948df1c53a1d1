"""Keys are drawn before queries, everywhere; the table draws for itself.
points: all
"""

import math

import torch


def dot_products(n, d_k, generator):
    k = torch.randn(n, d_k, generator=generator)
    q = torch.randn(n, d_k, generator=generator)
    return torch.einsum("nd,nd->n", q, k)


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        k = torch.randn(d_k, n, generator=generator)
        q = torch.randn(d_k, n, generator=generator)
        variance = (q * k).sum(dim=0).var()
        rows.append((d_k, variance.item(), variance.sqrt().item()))
    return rows


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        keys = torch.randn(n_queries, n_keys, d, generator=generator) * var_k**0.5
        queries = torch.randn(n_queries, d, generator=generator) * var_q**0.5
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
    return torch.tensor(rows)
