"""A triangle for five tokens, as in the example at hand.
points: causal_attention 0
Class: hard-coded sizes. Fails causal_attention_values, causal_attention_batched and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    triangle = torch.ones(5, 5).tril() == 0
    weights = torch.softmax(scores.masked_fill(triangle, -math.inf), dim=-1)
    return weights @ V, weights
