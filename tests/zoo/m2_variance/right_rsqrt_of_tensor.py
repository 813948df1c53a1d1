"""The audit's scale as torch.rsqrt of a float32 tensor.
points: all
"""

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    rows = []
    for d_k in widths:
        queries = torch.randn(n_queries, d_k, generator=generator) * torch.tensor(var_q).sqrt()
        keys = torch.randn(n_queries, n_keys, d_k, generator=generator) * torch.tensor(var_k).sqrt()
        raw = torch.einsum("qd,qkd->qk", queries, keys)
        scaled = raw * torch.rsqrt(torch.tensor(float(d_k * var_q * var_k)))
        largest = [torch.softmax(scores, dim=-1).max(dim=-1).values.mean() for scores in (raw, scaled)]
        rows.append(torch.stack([raw.var(), scaled.var(), *largest]))
    return torch.stack(rows)
