"""Softmax over the queries.
points: causal_attention 0
Class: softmax on the wrong axis. Fails causal_attention_values, causal_attention_batched and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -math.inf), dim=-2)
    return weights @ V, weights
