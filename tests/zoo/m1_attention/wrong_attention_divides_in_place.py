"""Q /= sqrt(d_k) changes the caller's queries.
points: attention 5
Class: an argument changed in place. Fails attention_properties; a leaf that requires a gradient raises there as well.
"""

import math

import torch


def attention(Q, K, V, d_k):
    Q /= math.sqrt(d_k)
    weights = torch.softmax(Q @ K.transpose(-2, -1), dim=-1)
    return weights @ V, weights
