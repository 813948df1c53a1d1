"""The queries are divided in place.
points: causal_attention 2
Class: an argument changed in place. Fails causal_attention_batched.
"""

import math

import torch


def causal_attention(Q, K, V):
    Q /= math.sqrt(K.shape[-1])
    scores = Q @ K.mT
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -math.inf), dim=-1)
    return weights @ V, weights
