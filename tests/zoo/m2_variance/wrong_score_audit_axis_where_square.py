"""The softmax's axis is found by its size, and is that of the queries where both sizes are equal.
points: score_audit 2
Class: axis. Fails score_audit_raw_weights, score_audit_scaled_weights.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        queries = math.sqrt(var_q) * torch.randn(n_queries, d, generator=generator)
        keys = math.sqrt(var_k) * torch.randn(n_queries, n_keys, d, generator=generator)
        raw = torch.einsum("qd,qkd->qk", queries, keys)
        scaled = raw / score_divisor(d, var_q, var_k)
        axis = list(raw.shape).index(n_keys)
        largest = [scores.softmax(axis).amax(axis).mean() for scores in (raw, scaled)]
        rows.append(torch.stack([raw.var(), scaled.var(), *largest]))
    return torch.stack(rows)
