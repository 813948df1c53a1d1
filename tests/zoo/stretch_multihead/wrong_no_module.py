"""A function with layers of its own in the place of a class.
points: multi_head_attention 0
Fails multi_head_layers, multi_head_from_scratch, multi_head_self_weights, multi_head_cross_weights, multi_head_output,
multi_head_properties, multi_head_mask_values, multi_head_mask_excludes, multi_head_parity and multi_head_error.
"""

import math

import torch
from torch import nn


class MultiHeadAttention:
    def __init__(self, d_model, n_heads):
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def __call__(self, queries, keys, values, key_is_valid=None):
        Q = split_heads(self.W_Q(queries), self.n_heads)
        K = split_heads(self.W_K(keys), self.n_heads)
        weights = torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), dim=-1)
        return self.W_O(merge_heads(weights @ split_heads(self.W_V(values), self.n_heads))), weights
