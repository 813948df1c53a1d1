"""One pair at a time, in a Python loop; queries with their keys one by one.
points: all
"""

import math

import torch


def dot_products(n, d_k, generator):
    rows = []
    for _ in range(n):
        q = torch.randn(d_k, generator=generator)
        k = torch.randn(d_k, generator=generator)
        rows.append(q.dot(k))
    return torch.stack(rows)


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = [float(x) for x in dot_products(n, d_k, generator)]
        mean = sum(dots) / n
        variance = sum((x - mean) ** 2 for x in dots) / (n - 1)
        rows.append((d_k, variance, math.sqrt(variance)))
    return rows


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    out = torch.empty(len(widths), 4)
    for row, d in enumerate(widths):
        raw = torch.empty(n_queries, n_keys)
        for i in range(n_queries):
            query = math.sqrt(var_q) * torch.randn(d, generator=generator)
            keys = math.sqrt(var_k) * torch.randn(n_keys, d, generator=generator)
            raw[i] = keys @ query
        scaled = raw / score_divisor(d, var_q, var_k)
        out[row, 0], out[row, 1] = raw.var(), scaled.var()
        out[row, 2] = torch.softmax(raw, dim=1).max(dim=1).values.mean()
        out[row, 3] = torch.softmax(scaled, dim=1).max(dim=1).values.mean()
    return out
