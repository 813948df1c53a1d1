"""Only the output is returned.
points: attention 0
Class: wrong type. What is built on it returns no pair either.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weights @ V
