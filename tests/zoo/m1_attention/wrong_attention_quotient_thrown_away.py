"""The division is written down and its result is not kept.
points: attention 1
Class: scale, lost on the way. The same weights as without a divisor.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = torch.matmul(Q, K.transpose(-2, -1))
    scores.div(math.sqrt(d_k))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights
