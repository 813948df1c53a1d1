"""The helpers are right; the module cuts its heads by a view of its own.
points: multi_head_attention 3
Class: view scrambles heads. No helper excuses it. Fails multi_head_self_weights, multi_head_cross_weights, multi_head_output,
multi_head_properties, multi_head_mask_excludes and multi_head_parity.
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
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        B, d_model = queries.shape[0], queries.shape[-1]
        d_head = d_model // self.n_heads
        Q = self.W_Q(queries).view(B, self.n_heads, -1, d_head)
        K = self.W_K(keys).view(B, self.n_heads, -1, d_head)
        V = self.W_V(values).view(B, self.n_heads, -1, d_head)
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O(merge_heads(weights @ V)), weights
