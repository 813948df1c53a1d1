"""A function that makes the module, a class that shares torch's name for a method, and layers that inherit nn.Linear.
points: all
"""

import math

import torch
from torch import nn


class Projection(nn.Linear):
    """A square layer without a bias."""

    def __init__(self, width):
        super().__init__(width, width, bias=False)


class _Heads(nn.Module):
    def __init__(self, width, n_heads):
        super().__init__()
        self.W_Q, self.W_K = Projection(width), Projection(width)
        self.W_V, self.W_O = Projection(width), Projection(width)
        self.register_buffer("heads", torch.tensor(n_heads), persistent=False)

    def scaled_dot_product_attention(self, Q, K, V, mask):
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -math.inf)[:, None, None, :]
        weights = scores.log_softmax(dim=-1).exp()
        return weights @ V, weights

    def forward(self, queries, keys, values, key_is_valid=None):
        n_heads = int(self.heads)
        projected = (self.W_Q(queries), self.W_K(keys), self.W_V(values))
        read, weights = self.scaled_dot_product_attention(*(split_heads(x, n_heads) for x in projected), key_is_valid)
        return self.W_O(merge_heads(read)), weights


def MultiHeadAttention(d_model, n_heads):
    try:
        torch.empty(d_model).view(n_heads, d_model // n_heads)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    return _Heads(d_model, n_heads)
