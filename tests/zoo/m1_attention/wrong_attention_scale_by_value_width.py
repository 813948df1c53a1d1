"""Scaled by the width of the values.
points: attention 1
Class: scale, sqrt of d_v; right only where d_k = d_v.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.mT / math.sqrt(V.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
