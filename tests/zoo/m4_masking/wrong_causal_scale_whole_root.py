"""The scale is the whole part of the root.
points: causal_attention 2
Class: scale. Fails causal_attention_values.
"""

import math

import torch


def causal_attention(Q, K, V):
    T = Q.shape[-2]
    scores = Q @ K.mT / math.isqrt(Q.shape[-1])
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return weights @ V, weights
