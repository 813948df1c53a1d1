"""Softmax, zero, renormalise; the rows of real keys are cut out of the values.
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
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        k, q = self.W_k(keys), self.W_q(query)
        weights = torch.softmax(torch.matmul(k, q[..., None])[..., 0] / math.sqrt(k.size(2)), dim=1) * key_is_valid
        weights = weights / weights.sum(dim=1, keepdim=True)
        return torch.matmul(weights[:, None, :], keys).squeeze(1), weights


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    real = key_is_valid[:, None, :]
    weights = (Q @ K.mT / math.sqrt(K.size(-1) * var_q * var_k)).softmax(-1)
    weights = torch.where(real, weights, 0.0)
    weights = weights / weights.sum(-1, keepdim=True)
    V = V.clone()
    V[~key_is_valid] = 0.0
    return weights @ V, weights
