"""The layers have other names.
points: projected_dot_attention 3.5
Class: names. Fails projected_layers, projected_shares, projected_weights, projected_context and projected_properties.
"""

import math

import torch
from torch import nn


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.key_proj = nn.Linear(d_k, d_a, bias=False)
        self.query_proj = nn.Linear(d_q, d_a, bias=False)

    def forward(self, query, keys, key_is_valid):
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        q = self.query_proj(query)
        k = self.key_proj(keys)
        scores = (k @ q.unsqueeze(-1)).squeeze(-1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~key_is_valid, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        return context, weights
