"""Squeezes every axis of size one.
points: projected_dot_attention 9.5
Class: works only for larger batches. Fails projected_batches.
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
        q = self.W_q(query)
        k = self.W_k(keys)
        scores = (k @ q.unsqueeze(-1)).squeeze() / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~key_is_valid, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        context = torch.einsum('bn,bnk->bk', weights, keys)
        return context, weights
