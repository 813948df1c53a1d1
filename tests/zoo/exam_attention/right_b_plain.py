"""Matrix products, minus infinity, padded values replaced.
points: all
"""

import math

import torch
from torch import nn


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)

    def forward(self, query, keys, key_is_valid):
        q = self.W_q(query)
        k = self.W_k(keys)
        scores = (k @ q.unsqueeze(-1)).squeeze(-1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~key_is_valid, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        real = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        context = (weights.unsqueeze(1) @ real).squeeze(1)
        return context, weights


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
