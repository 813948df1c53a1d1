"""Softmax, zero, renormalise, with a small constant in the divisor.
points: projected_dot_attention 9, calibrated_attention 9.5
Class: eps so big that it shows. Fails projected_mask_excludes and calibrated_attention_extremes.
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
        weights = torch.softmax((k @ q[..., None])[..., 0] / math.sqrt(k.shape[-1]), dim=-1) * key_is_valid
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-8)
        return (weights[:, None, :] @ keys)[:, 0], weights


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    weights = torch.softmax(Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k), dim=-1) * key_is_valid[:, None, :]
    weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-8)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
