"""Divided by the number of scores, in another order of draws.
points: score_audit 2.5
Class: variance, population variance. Fails score_audit_raw_variance.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        keys = torch.randn(n_queries, n_keys, d, generator=generator) * var_k**0.5
        queries = torch.randn(n_queries, d, generator=generator) * var_q**0.5
        raw = torch.einsum("qd,qkd->qk", queries, keys)
        scaled = raw / score_divisor(d, var_q, var_k)
        rows.append(
            [
                raw.var(correction=0),
                scaled.var(correction=0),
                raw.softmax(dim=-1).amax(dim=-1).mean(),
                scaled.softmax(dim=-1).amax(dim=-1).mean(),
            ]
        )
    return torch.tensor(rows)
