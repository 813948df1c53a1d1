"""Softmax by hand without taking the largest score off.
points: attention 5
Class: overflow for large scores. Fails attention_extremes with NaN.
"""

import math

import torch


def attention(Q, K, V, d_k):
    numerators = torch.exp(Q @ K.transpose(-2, -1) / math.sqrt(d_k))
    weights = numerators / numerators.sum(dim=-1, keepdim=True)
    return weights @ V, weights
