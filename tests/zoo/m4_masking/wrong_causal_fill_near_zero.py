"""tril of the scores: zeros above the diagonal.
points: causal_attention 0
Class: mask fill near zero. Fails causal_attention_values, causal_attention_batched and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.tril(), dim=-1)
    return weights @ V, weights
