"""All is done as one head, and the weights are repeated.
points: multi_head_attention 6
Class: works only for n_heads = 1. Fails multi_head_self_weights, multi_head_cross_weights and multi_head_parity.
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
        Q, K, V = self.W_Q(queries)[:, None], self.W_K(keys)[:, None], self.W_V(values)[:, None]
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O((weights @ V)[:, 0]), weights.expand(-1, self.n_heads, -1, -1)
