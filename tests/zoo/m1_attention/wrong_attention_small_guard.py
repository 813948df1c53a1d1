"""A guard of 1e-6 in the denominator, copied from a layer norm.
points: attention 2
Class: eps so big that it shows, in float64. Fails values, batches, extremes and gradients there; float32 hides it.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    numerators = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = numerators / (numerators.sum(dim=-1, keepdim=True) + 1e-6)
    return weights @ V, weights
