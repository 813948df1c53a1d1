"""One query for all keys.
points: score_audit 1.5
Class: independence, shared query. Fails score_audit_raw_variance, score_audit_raw_weights, score_audit_scaled_weights.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d in widths:
        queries = torch.randn(1, d, generator=generator) * var_q**0.5
        keys = torch.randn(n_queries, n_keys, d, generator=generator) * var_k**0.5
        raw = torch.einsum("qd,qkd->qk", queries.expand(n_queries, d), keys)
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
