"""Everything is computed in float64 and given back in the dtype of the queries.
points: all
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
        def project(x, layer):
            return x.double() @ layer.weight.double().T

        Q = split_heads(project(queries, self.W_Q), self.n_heads)
        K = split_heads(project(keys, self.W_K), self.n_heads)
        V = split_heads(project(values, self.W_V), self.n_heads)
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], -math.inf)
        weights = scores.softmax(dim=-1)
        output = project(merge_heads(weights @ V), self.W_O)
        return output.to(queries.dtype), weights.to(queries.dtype)
