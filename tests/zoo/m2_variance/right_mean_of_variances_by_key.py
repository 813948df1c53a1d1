"""The variance over the queries for each key's place, unbiased as well, averaged over the places.
points: all
It has no value where there is one query.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        q = torch.randn(n_queries, d, generator=generator) * math.sqrt(var_q)
        k = torch.randn(n_queries, n_keys, d, generator=generator) * math.sqrt(var_k)
        raw = torch.einsum("qd,qkd->qk", q, k).double()
        scaled = raw / score_divisor(d, var_q, var_k)
        rows.append([raw.var(0).mean(), scaled.var(0).mean(), raw.softmax(1).amax(1).mean(), scaled.softmax(1).amax(1).mean()])
    return torch.tensor(rows)
