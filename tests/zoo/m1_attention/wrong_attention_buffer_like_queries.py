"""The output is written into a buffer shaped like Q, which holds it only if d_k = d_v.
points: attention 0, self_attention 0, cross_attention 0
Class: right only when d_k = d_v. Any other width raises.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    output = torch.zeros_like(Q)
    for position in range(Q.shape[-2]):
        output[..., position, :] = (weights[..., position, None, :] @ V).squeeze(-2)
    return output, weights
