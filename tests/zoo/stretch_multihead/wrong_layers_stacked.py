"""One layer of three times the width makes queries, keys and values.
points: multi_head_attention 4.5
Class: one projection for all three. Fails multi_head_layers, multi_head_self_weights, multi_head_cross_weights,
multi_head_output and multi_head_parity.
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
        self.W_QKV = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        W_Q, W_K, W_V = self.W_QKV.weight.chunk(3)
        Q = split_heads(queries @ W_Q.mT, self.n_heads)
        K = split_heads(keys @ W_K.mT, self.n_heads)
        V = split_heads(values @ W_V.mT, self.n_heads)
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O(merge_heads(weights @ V)), weights
