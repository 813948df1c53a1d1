"""The mask is ignored where the last key of every example is padded.
points: multi_head_attention 6
Class: only looks right for one kind of batch. Fails multi_head_mask_values and multi_head_mask_excludes.
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
        Q = split_heads(self.W_Q(queries), self.n_heads)
        K = split_heads(self.W_K(keys), self.n_heads)
        V = split_heads(self.W_V(values), self.n_heads)
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None and key_is_valid[:, -1].any():
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O(merge_heads(weights @ V)), weights
