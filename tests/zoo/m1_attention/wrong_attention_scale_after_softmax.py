"""The weights are divided by sqrt(d_k) after the softmax.
points: attention 0
Class: scale, applied after softmax. The rows sum to 1 / sqrt(d_k), so no check is passed.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1), dim=-1) / math.sqrt(d_k)
    return weights @ V, weights
