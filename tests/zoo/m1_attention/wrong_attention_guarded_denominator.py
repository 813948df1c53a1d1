"""A guard of 1e-3 in the denominator, where nothing can be zero.
points: attention 0
Class: eps so big that it shows. The rows sum to less than one.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    numerators = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = numerators / (numerators.sum(dim=-1, keepdim=True) + 1e-3)
    return weights @ V, weights
