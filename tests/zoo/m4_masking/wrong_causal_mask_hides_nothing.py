"""The triangle was thrown away: tril returns a new tensor. What is built on it sees everything.
points: causal_mask 0, causal_attention 0
Class: result thrown away. A mask that hides nothing excuses nobody: the influence of the future is what causal_attention is about.
"""

import math

import torch


def causal_mask(T):
    mask = torch.ones(T, T, dtype=torch.bool)
    mask.tril()
    return mask


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(causal_mask(Q.shape[-2]) == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
