"""The axis of the heads is not moved before that of the tokens; the module moves it.
points: split_heads 0
Class: axes. Fails split_heads_values and split_heads_form.
"""

import math

import torch
from torch import nn


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    return x.reshape(B, T, n_heads, d_model // n_heads)


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
        Q = split_heads(self.W_Q(queries), self.n_heads).transpose(1, 2)
        K = split_heads(self.W_K(keys), self.n_heads).transpose(1, 2)
        V = split_heads(self.W_V(values), self.n_heads).transpose(1, 2)
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.W_O(merge_heads(weights @ V)), weights
