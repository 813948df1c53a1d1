"""A fill of -20.
points: causal_attention 0
Class: fill too small. Fails causal_attention_values, causal_attention_batched (scores about -8) and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -20.0), dim=-1)
    return weights @ V, weights
