"""The scale as torch.rsqrt of a tensor, as common as torch.sqrt of one.
points: all
"""

import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError('n_heads must divide d_model')
        self.d_model, self.n_heads, self.d_head = d_model, n_heads, d_model // n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, queries, keys, values, key_is_valid=None):
        Q, K, V = (split_heads(f(x), self.n_heads) for f, x in ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values)))
        scores = Q @ K.mT * torch.rsqrt(torch.tensor(float(self.d_head)))
        if key_is_valid is not None:
            scores = scores.masked_fill(~key_is_valid[:, None, None, :], float('-inf'))
        weights = scores.softmax(-1)
        output = self.W_O(merge_heads(weights @ V))
        return output, weights
