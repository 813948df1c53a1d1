"""The keys come from a generator that every call seeds anew.
points: score_audit 2.5
Class: generator. Fails score_audit_raw_variance.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    other = torch.Generator().manual_seed(3)
    for d in widths:
        queries = math.sqrt(var_q) * torch.randn(n_queries, d, generator=generator)
        keys = math.sqrt(var_k) * torch.randn(n_queries, n_keys, d, generator=other)
        raw = torch.einsum("qd,qkd->qk", queries, keys)
        scaled = raw / score_divisor(d, var_q, var_k)
        largest = [scores.softmax(dim=1).amax(dim=1).mean() for scores in (raw, scaled)]
        rows.append(torch.stack([raw.var(), scaled.var(), *largest]))
    return torch.stack(rows)
