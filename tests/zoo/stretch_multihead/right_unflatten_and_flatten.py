"""unflatten and movedim one way, permute and flatten the other; exp by hand with the largest score taken off.
points: all
"""

import torch
from torch import nn


def split_heads(x, n_heads):
    return x.unflatten(-1, (n_heads, -1)).movedim(-2, 1)


def merge_heads(x):
    return x.permute(0, 2, 1, 3).flatten(start_dim=-2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        quotient, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"{d_model} = {n_heads} * {quotient} + {rest}")
        self.heads = n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        Q, K, V = [split_heads(f(x), self.heads) for f, x in ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values))]
        quarter = Q.shape[-1] ** 0.25
        scores = (Q / quarter) @ (K / quarter).swapaxes(-1, -2)
        if key_is_valid is not None:
            scores = scores.masked_fill(key_is_valid[:, None, None, :] == False, -torch.inf)  # noqa: E712
        powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        weights = powers / powers.sum(dim=-1, keepdim=True)
        return self.W_O(merge_heads(weights @ V)), weights
