"""A causal triangle that nobody asked for.
points: attention 0
Class: mask. The weights of later keys are zero, against the order of the dot products.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    later = torch.ones_like(scores, dtype=torch.bool).triu(diagonal=1)
    weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
    return weights @ V, weights
