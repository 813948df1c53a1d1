"""Helpers with the names that come to mind first: draw, measure and scores.
points: all
"""

import math

import torch


def draw(*shape, generator):
    return torch.randn(*shape, generator=generator)


def dot_products(n, d_k, generator):
    q = draw(n, d_k, generator=generator)
    k = draw(n, d_k, generator=generator)
    return (q * k).sum(dim=1)


def scores(d, n_queries, n_keys, generator, var_q, var_k):
    q = math.sqrt(var_q) * draw(n_queries, d, generator=generator)
    k = math.sqrt(var_k) * draw(n_queries, n_keys, d, generator=generator)
    return torch.einsum("qd,qkd->qk", q, k)


def measure(some):
    return some.var(), torch.softmax(some, dim=-1).max(dim=-1).values.mean()


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        s = scores(d, n_queries, n_keys, generator, var_q, var_k)
        raw, scaled = measure(s), measure(s / score_divisor(d, var_q, var_k))
        rows.append(torch.stack([raw[0], scaled[0], raw[1], scaled[1]]))
    return torch.stack(rows)
