"""Softmax through logsumexp, as log-space code has it.
points: all
Class: odd but right. In float32 its row sums are off by 4e-4 at scores near 1e4, as its logarithms are.
"""

import math


def attention(Q, K, V, d_k):
    scores = Q @ K.mT / math.sqrt(d_k)
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    return weights @ V, weights


def soft_lookup(query, keys, values, temperature):
    scores = (keys @ query - (keys @ query).max()) / temperature
    return (scores - scores.logsumexp(dim=0)).exp() @ values
