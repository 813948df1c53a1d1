"""The layers are called q_proj, k_proj, v_proj and out_proj.
points: multi_head_attention 4.5
Fails multi_head_layers, multi_head_self_weights, multi_head_cross_weights, multi_head_output and multi_head_parity.
"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("n_heads must divide d_model")
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        Q = split_heads(self.q_proj(queries), self.n_heads)
        K = split_heads(self.k_proj(keys), self.n_heads)
        V = split_heads(self.v_proj(values), self.n_heads)
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.out_proj(merge_heads(weights @ V)), weights
