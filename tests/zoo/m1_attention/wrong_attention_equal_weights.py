"""Every key has the same weight.
points: attention 0, self_attention 0, cross_attention 0
Class: the mean of V. Right for one key and for equal keys; it ignores Q and K.
"""

import torch


def attention(Q, K, V, d_k):
    weights = torch.ones(*Q.shape[:-1], K.shape[-2], dtype=Q.dtype) / K.shape[-2]
    return weights @ V, weights
