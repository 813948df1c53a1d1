"""Random rows that sum to one, and their average of V.
points: attention 0, self_attention 0, cross_attention 0
Class: random numbers with the right shapes. The order of the dot products is not kept.
"""

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(torch.rand(*Q.shape[:-1], K.shape[-2], dtype=Q.dtype), dim=-1)
    return weights @ V, weights
