"""Multiplied by sqrt(d_k).
points: attention 1
Class: scale, multiplied.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) * math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
