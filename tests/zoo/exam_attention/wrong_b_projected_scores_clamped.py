"""Scores are cut at 30 of either sign.
points: projected_dot_attention 9
Class: scores cut. Fails projected_mask_excludes.
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
        scores = (self.W_k(keys) @ self.W_q(query).unsqueeze(-1)).squeeze(-1) / math.sqrt(self.W_k.out_features)
        scores = scores.clamp(-30, 30)
        weights = scores.masked_fill(~key_is_valid, -math.inf).softmax(dim=-1)
        return (weights.unsqueeze(1) @ keys).squeeze(1), weights
