"""View, transpose, and back; minus infinity before the softmax.
points: all
"""

import math

import torch
from torch import nn


def split_heads(x, n_heads):
    B, T, d_model = x.size()
    return x.view(B, T, n_heads, d_model // n_heads).transpose(1, 2)


def merge_heads(x):
    B, n_heads, T, d_head = x.size()
    return x.transpose(1, 2).contiguous().view(B, T, n_heads * d_head)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be divisible by n_heads")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        Q = split_heads(self.W_Q(queries), self.n_heads)
        K = split_heads(self.W_K(keys), self.n_heads)
        V = split_heads(self.W_V(values), self.n_heads)
        scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(self.d_head)
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid.unsqueeze(1).unsqueeze(2), float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        output = self.W_O(merge_heads(torch.matmul(weights, V)))
        return output, weights
