"""The weights average the keys.
points: attention 0, self_attention 0, cross_attention 0
Class: value mistake. The output does not depend on V.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weights @ K, weights
