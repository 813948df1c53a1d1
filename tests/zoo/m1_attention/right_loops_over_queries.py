"""One query at a time, and one call for each entry of a leading axis.
points: all
"""

import math

import torch


def attention(Q, K, V, d_k):
    if Q.dim() > 2:
        pairs = [attention(q, k, v, d_k) for q, k, v in zip(Q, K, V, strict=True)]
        return torch.stack([p[0] for p in pairs]), torch.stack([p[1] for p in pairs])
    outputs, rows = [], []
    for query in Q:
        row = torch.softmax(K.matmul(query) / math.sqrt(d_k), dim=0)
        rows.append(row)
        outputs.append(row.matmul(V))
    return torch.stack(outputs), torch.stack(rows)


def additive_scores(queries, keys, W_q, W_k, v):
    projected_keys = keys @ W_k
    columns = []
    for i in range(queries.shape[-2]):
        projected_query = queries[..., i : i + 1, :] @ W_q
        columns.append(torch.tanh(projected_query + projected_keys) @ v)
    return torch.stack(columns, dim=-2)


def weighted_value(weights, V, i):
    total = torch.zeros_like(V[0])
    for j in range(V.shape[0]):
        total = total + weights[i, j] * V[j]
    return total
