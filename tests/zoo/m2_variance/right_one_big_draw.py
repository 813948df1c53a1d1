"""All numbers of a sample in one draw, cut into queries and keys.
points: all
"""

import math

import torch


def dot_products(n, d_k, generator):
    both = torch.randn(2, n, d_k, generator=generator)
    return both.prod(dim=0).sum(dim=-1)


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        q, k = torch.randn(n, 2 * d_k, generator=generator).split(d_k, dim=1)
        dots = (q * k).sum(1).double()
        rows.append((d_k, float(dots.var()), float(dots.std())))
    return rows


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        everything = torch.randn(n_queries, n_keys + 1, d, generator=generator)
        queries, keys = everything[:, :1] * var_q**0.5, everything[:, 1:] * var_k**0.5
        raw = (queries @ keys.transpose(1, 2)).squeeze(1)
        scaled = raw / math.sqrt(d * var_q * var_k)
        rows.append(torch.stack([raw.var(), scaled.var(), *(s.softmax(1).max(1)[0].mean() for s in (raw, scaled))]))
    return torch.stack(rows)
