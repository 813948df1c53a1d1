"""One head after the other, by slices of columns; lists for tuples.
points: all
"""

import numpy as np
import torch
from torch import nn


def split_heads(x, n_heads):
    d_head = x.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        heads.append(x[:, :, h * d_head : (h + 1) * d_head])
    return torch.stack(heads, 1)


def merge_heads(x):
    rows = x[:, 0]
    for h in range(1, x.shape[1]):
        rows = torch.cat((rows, x[:, h]), -1)
    return rows


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        if d_model % n_heads:
            raise ValueError("heads of unequal width")
        super().__init__()
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, queries, keys, values, key_is_valid=None):
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        d_head = Q.shape[-1] // self.n_heads
        outputs, weights = [], []
        for h in range(self.n_heads):
            columns = slice(h * d_head, (h + 1) * d_head)
            scores = Q[..., columns] @ K[..., columns].transpose(1, 2) / np.sqrt(d_head)
            if key_is_valid is not None:
                scores[~key_is_valid[:, None, :].expand_as(scores)] = float("-inf")
            weights.append(scores.softmax(dim=2))
            outputs.append(weights[-1] @ V[..., columns])
        return [self.W_O(torch.cat(outputs, dim=2)), torch.stack(weights, dim=1)]
