"""No head is ever cut: einsum over weights that are seen as (n_heads, d_head, d_model).
points: all
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model // n_heads * n_heads != d_model:
            raise ValueError(f"{d_model} / {n_heads} is no whole number")
        self.shape = (n_heads, d_model // n_heads, d_model)
        for name in ("W_O", "W_V", "W_K", "W_Q"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, queries, keys, values, key_is_valid=None):
        q, k, v = (layer.weight.view(self.shape) for layer in (self.W_Q, self.W_K, self.W_V))
        Q = torch.einsum("btm,hdm->bhtd", queries, q)
        K = torch.einsum("btm,hdm->bhtd", keys, k)
        V = torch.einsum("btm,hdm->bhtd", values, v)
        scores = torch.einsum("bhid,bhjd->bhij", Q, K) * self.shape[1] ** -0.5
        if key_is_valid is not None:
            scores = torch.where(key_is_valid[:, None, None], scores, -torch.inf)
        weights = scores.softmax(-1)
        o = self.W_O.weight.view(-1, *self.shape[:2])
        return torch.einsum("bhij,bhjd,mhd->bim", weights, V, o), weights
