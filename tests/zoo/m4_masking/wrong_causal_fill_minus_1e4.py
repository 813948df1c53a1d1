"""A fill of -1e4.
points: causal_attention 2
Class: fill too small for large scores. Fails causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -1e4), dim=-1)
    return weights @ V, weights
