"""Scaled by the number of keys.
points: attention 1
Class: scale, sqrt of T_k.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.size(-2))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
