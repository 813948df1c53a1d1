"""The root of the number of tokens.
points: causal_attention 1
Class: scale. Fails causal_attention_values and causal_attention_batched.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(Q.shape[-2])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -math.inf), dim=-1)
    return weights @ V, weights
