"""Everything as einsum, the queries divided before they meet the keys.
points: all
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    q = torch.einsum("...md,da->...ma", queries, W_q)
    k = torch.einsum("...nd,da->...na", keys, W_k)
    hidden = torch.tanh(q[..., :, None, :] + k[..., None, :, :])
    return torch.einsum("...mna,a->...mn", hidden, v)


def attention(Q, K, V, d_k):
    weights = torch.einsum("...qd,...kd->...qk", Q / d_k**0.5, K).softmax(-1)
    return torch.einsum("...qk,...kv->...qv", weights, V), weights


def weighted_value(weights, V, i):
    return torch.einsum("k,kv->v", weights[i], V)


def soft_lookup(query, keys, values, temperature):
    scores = torch.einsum("nd,d->n", keys, query / temperature)
    return torch.einsum("n,nv->v", scores.softmax(-1), values)


def hard_lookup(query, keys, values):
    return values[torch.einsum("nd,d->n", keys, query).argmax()]
