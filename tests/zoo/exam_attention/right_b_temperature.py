"""The variances are a temperature after the usual scale; a helper that both problems share; a factory for the class.
points: all
"""

import math

import torch
from torch import nn


def attention(Q, K, V, key_is_valid, temperature=1.0):
    blocked = torch.zeros(key_is_valid.shape, dtype=Q.dtype).masked_fill(~key_is_valid, -math.inf)
    scores = Q @ K.mT / math.sqrt(K.shape[-1]) / temperature + blocked[:, None, :]
    weights = scores.softmax(dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights


class _Projected(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)

    def forward(self, query, keys, key_is_valid):
        keys = keys.clone()
        keys[~key_is_valid] = 0.0
        context, weights = attention(self.W_q(query)[:, None], self.W_k(keys), keys, key_is_valid)
        return context.squeeze(1), weights.squeeze(1)


def ProjectedDotAttention(d_q, d_k, d_a):
    return _Projected(d_q, d_k, d_a)


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    return attention(Q, K, V, key_is_valid, temperature=math.sqrt(var_q * var_k))
