"""The scores lose the axis of the keys where each query has one key.
points: score_audit 2
Class: shapes. Fails score_audit_raw_weights, score_audit_scaled_weights.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    table = torch.empty(len(widths), 4)
    for i, d in enumerate(widths):
        queries = math.sqrt(var_q) * torch.randn(n_queries, d, generator=generator)
        keys = math.sqrt(var_k) * torch.randn(n_queries, n_keys, d, generator=generator)
        raw = (keys @ queries.unsqueeze(-1)).squeeze()
        scaled = raw / score_divisor(d, var_q, var_k)
        largest = [scores.softmax(-1).max(-1).values.mean() for scores in (raw, scaled)]
        table[i] = torch.stack([raw.var(), scaled.var(), *largest])
    return table
