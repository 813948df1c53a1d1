"""A fill of -100: what it leaks is below every tolerance, and not nothing.
points: causal_attention 2
Class: fill too small. Fails causal_attention_future: what masked_attention does better excuses nothing.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -100.0), dim=-1)
    return weights @ V, weights
