"""0-d tensors for floats, lists for tuples.
points: all
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        variance = dot_products(n, d_k, generator).var()
        rows.append([torch.tensor(d_k), variance, variance.sqrt()])
    return tuple(rows)


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return torch.tensor(float(d_k)) * var_q * var_k


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return torch.sqrt(score_variance(d_k, var_q, var_k))


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        queries = torch.randn(n_queries, d, generator=generator) * var_q**0.5
        keys = torch.randn(n_queries, n_keys, d, generator=generator) * var_k**0.5
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
