"""A base class, a mixin, and a head as a callable object; torch.chunk cuts the columns.
points: all
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Head:
    """One head: three tables and a mask."""

    Q: Tensor
    K: Tensor
    V: Tensor

    def __call__(self, mask):
        scores = self.Q @ self.K.transpose(-1, -2) / self.K.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(-2), float("-inf"))
        weights = nn.Softmax(dim=-1)(scores)
        return weights @ self.V, weights


class Checked:
    @staticmethod
    def check(d_model, n_heads):
        if d_model % n_heads > 0:
            raise ValueError("The width " + str(d_model) + " cannot be divided by " + str(n_heads))


class Layers(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for letter in "QKVO":
            self.add_module("W_" + letter, nn.Linear(d_model, d_model, bias=False))


class MultiHeadAttention(Checked, Layers):
    def __init__(self, d_model, n_heads):
        self.check(d_model, n_heads)
        Layers.__init__(self, d_model)
        self.n_heads = n_heads

    def forward(self, queries, keys, values, key_is_valid=None):
        projected = (self.W_Q(queries), self.W_K(keys), self.W_V(values))
        heads = [Head(*columns) for columns in zip(*(x.chunk(self.n_heads, dim=-1) for x in projected))]
        read, weights = zip(*(head(key_is_valid) for head in heads))
        return self.W_O(torch.cat(read, dim=-1)), torch.stack(weights, dim=1)
