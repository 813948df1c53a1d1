"""Layers in an odd order, with a buffer, a frozen parameter and attributes beside; the scale is a float32 tensor.
points: all
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("n_heads must divide d_model")
        self.W_O = nn.Linear(d_model, d_model, False)
        self.register_buffer("scale", torch.sqrt(torch.tensor(d_model // n_heads)))
        self.W_V = nn.Linear(d_model, d_model, False)
        self.W_K = nn.Linear(d_model, d_model, False)
        self.W_Q = nn.Linear(d_model, d_model, False)
        self.temperature = nn.Parameter(torch.ones(()), requires_grad=False)
        self.n_heads, self.last_weights = n_heads, None
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, queries, keys, values, key_is_valid=None):
        Q, K, V = (
            split_heads(layer(x), self.n_heads)
            for layer, x in zip((self.W_Q, self.W_K, self.W_V), (queries, keys, values))
        )
        scores = Q @ K.mT / (self.scale * self.temperature)
        if key_is_valid is not None:
            scores = scores.masked_fill(key_is_valid.logical_not()[:, None, None, :], torch.finfo(scores.dtype).min)
        self.last_weights = torch.softmax(scores, -1)
        return self.W_O(merge_heads(self.last_weights @ V)), self.last_weights
