"""The layers are made anew at every call.
points: projected_dot_attention 0
Class: layers made in forward. Fails projected_layers, projected_shares, projected_weights, projected_context,
projected_mask_values, projected_mask_excludes, projected_batches and projected_properties.
"""

import math

import torch
from torch import nn


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.sizes = (d_q, d_k, d_a)

    def forward(self, query, keys, key_is_valid):
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        d_q, d_k, d_a = self.sizes
        W_k = nn.Linear(d_k, d_a, bias=False, dtype=keys.dtype)
        W_q = nn.Linear(d_q, d_a, bias=False, dtype=keys.dtype)
        q, k = W_q(query), W_k(keys)
        scores = (k @ q.unsqueeze(-1)).squeeze(-1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~key_is_valid, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        return context, weights
