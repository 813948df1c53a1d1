"""The root is a float32 tensor of its own, as much public code has it.
points: all
Class: odd but right. A 0-d float32 divisor keeps the dtype of float64 scores; the root itself is off by up to 4e-8.
"""

import torch


def attention(Q, K, V, d_k):
    scale = torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    weights = torch.softmax(Q @ K.transpose(-2, -1) / scale, dim=-1)
    return weights @ V, weights
