"""No matrix product at all: broadcasting and sums.
points: all
"""

import math


def additive_scores(queries, keys, W_q, W_k, v):
    q = (queries[..., :, :, None] * W_q).sum(dim=-2)
    k = (keys[..., :, :, None] * W_k).sum(dim=-2)
    hidden = (q[..., :, None, :] + k[..., None, :, :]).tanh()
    return (hidden * v).sum(dim=-1)


def attention(Q, K, V, d_k):
    scores = (Q[..., :, None, :] * K[..., None, :, :]).sum(dim=-1) / math.sqrt(d_k)
    weights = scores.softmax(dim=-1)
    return (weights[..., None] * V[..., None, :, :]).sum(dim=-2), weights


def soft_lookup(query, keys, values, temperature):
    weights = ((keys * query).sum(dim=1) / temperature).softmax(dim=0)
    return (weights.unsqueeze(1) * values).sum(dim=0)


def hard_lookup(query, keys, values):
    scores = (keys * query).sum(dim=1).tolist()
    return values[scores.index(max(scores))]
