"""Uniform coordinates.
points: score_audit 1.5
Class: variance, another law. Fails score_audit_raw_variance, score_audit_raw_weights, score_audit_scaled_weights.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        queries = math.sqrt(12) * (torch.rand(n_queries, d, generator=generator) - 0.5) * var_q**0.5
        keys = math.sqrt(12) * (torch.rand(n_queries, n_keys, d, generator=generator) - 0.5) * var_k**0.5
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
