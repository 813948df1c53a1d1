"""The root is a tensor of the dtype of Q, and the softmax is torch.special's.
points: all
"""

import torch


def attention(Q, K, V, d_k):
    scale = torch.sqrt(torch.tensor(d_k, dtype=Q.dtype))
    weights = torch.special.softmax(Q @ K.mT / scale, dim=-1)
    return weights @ V, weights


def additive_scores(queries, keys, W_q, W_k, v):
    """One projection of the concatenated pair, which is the same sum."""
    m, n = queries.shape[-2], keys.shape[-2]
    q = queries.unsqueeze(-2).expand(*queries.shape[:-1], n, queries.shape[-1])
    k = keys.unsqueeze(-3).expand(*keys.shape[:-2], m, *keys.shape[-2:])
    pairs = torch.cat([q, k], dim=-1)
    return torch.matmul(torch.tanh(pairs @ torch.cat([W_q, W_k])), v)


def hard_lookup(query, keys, values):
    order = torch.argsort(keys @ query, descending=True, stable=True)
    return values[order[0]]
