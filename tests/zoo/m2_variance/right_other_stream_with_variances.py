"""The audit draws in another way as soon as variances are given.
points: all
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    if (var_q, var_k) != (1.0, 1.0):
        torch.randn(5, generator=generator)
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
