"""Batched products by bmm: leading axes are flattened into one and put back at the end.
points: all
"""

import math

import torch


def attention(Q, K, V, d_k):
    leading = Q.shape[:-2]
    q = Q.reshape(-1, Q.shape[-2], Q.shape[-1])
    k = K.reshape(-1, K.shape[-2], K.shape[-1])
    v = V.reshape(-1, V.shape[-2], V.shape[-1])
    weights = torch.bmm(q, k.permute(0, 2, 1)).div(math.sqrt(d_k)).softmax(dim=2)
    output = torch.bmm(weights, v)
    return (
        output.reshape(*leading, *output.shape[-2:]),
        weights.reshape(*leading, *weights.shape[-2:]),
    )


def self_attention(X, W_Q, W_K, W_V):
    Q, K, V = (torch.matmul(X, W) for W in (W_Q, W_K, W_V))
    return attention(Q, K, V, Q.size(-1))
