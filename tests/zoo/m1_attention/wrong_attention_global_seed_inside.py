"""The global generator is seeded at every call, always with the same number.
points: attention 5
Class: the global state changed. Fails attention_properties.
"""

import math

import torch


def attention(Q, K, V, d_k):
    torch.manual_seed(0)
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weights @ V, weights
