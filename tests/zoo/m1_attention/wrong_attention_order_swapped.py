"""The pair comes back as weights, then output.
points: attention 0
Class: wrong order of the pair.
does not.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weights, weights @ V
