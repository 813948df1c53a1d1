"""Layers in another order; the weights are returned without their gradient, to be looked at.
points: all
"""

import math

import torch
from torch import nn


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_a, bias=False)
        self.W_k = nn.Linear(d_k, d_a, bias=False)

    def forward(self, query, keys, key_is_valid):
        scores = (self.W_k(keys) @ self.W_q(query)[:, :, None])[..., 0] / math.sqrt(self.W_q.out_features)
        weights = torch.softmax(scores.masked_fill(~key_is_valid, -math.inf), dim=-1)
        real = keys.masked_fill(~key_is_valid[:, :, None], 0.0)
        return (weights[:, None] @ real)[:, 0], weights.detach()


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], -math.inf), dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights.detach()
