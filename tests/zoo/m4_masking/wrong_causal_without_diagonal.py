"""A token may not see itself; the first sees equal shares of everything.
points: causal_attention 0
Class: diagonal missing. Fails causal_attention_values, causal_attention_batched and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(torch.ones_like(scores).triu() == 1, -1e9), dim=-1)
    return weights @ V, weights
