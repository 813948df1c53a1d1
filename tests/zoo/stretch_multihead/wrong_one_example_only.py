"""The batch axis is taken away and put back.
points: multi_head_attention 1.5
Class: works only for B = 1. Fails multi_head_layers, multi_head_self_weights, multi_head_cross_weights, multi_head_output,
multi_head_properties, multi_head_mask_values, multi_head_mask_excludes and multi_head_parity.
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
        Q, K, V = (
            torch.stack(layer(x)[0].chunk(self.n_heads, dim=-1))
            for layer, x in ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values))
        )
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[0], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        merged = torch.cat(list(weights @ V), dim=-1)
        return self.W_O(merged)[None], weights[None]
