"""The scale as torch.rsqrt of a float32 tensor, as common as torch.sqrt of one.
points: all
Class: odd but right.
"""

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.mT * torch.rsqrt(torch.tensor(float(d_k))), dim=-1)
    return weights @ V, weights
