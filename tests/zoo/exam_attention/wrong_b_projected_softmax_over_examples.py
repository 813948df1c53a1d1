"""The softmax runs over the examples.
points: projected_dot_attention 3.5
Class: softmax axis. Fails projected_shares, projected_weights, projected_mask_values,
projected_mask_excludes, projected_padding and projected_batches.
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
        weights = torch.softmax(scores, dim=0)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        return context, weights
