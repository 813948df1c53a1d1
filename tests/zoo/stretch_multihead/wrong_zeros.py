"""Zeros of the right shapes.
points: multi_head_attention 1.5
Fails multi_head_from_scratch, multi_head_self_weights, multi_head_cross_weights, multi_head_output, multi_head_properties,
multi_head_mask_values, multi_head_mask_excludes and multi_head_parity.
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("n_heads must divide d_model")
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        B, T_q, d_model = queries.shape
        weights = queries.new_zeros(B, self.n_heads, T_q, keys.shape[1])
        return torch.zeros_like(queries), weights
