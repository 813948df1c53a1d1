"""torch's own product makes output and weights, these by reading the identity.
points: multi_head_attention 6.5
Breaks the rule. Fails multi_head_from_scratch and multi_head_parity.
"""

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
        Q = split_heads(self.W_Q(queries), self.n_heads)
        K = split_heads(self.W_K(keys), self.n_heads)
        V = split_heads(self.W_V(values), self.n_heads)
        mask = None if key_is_valid is None else key_is_valid[:, None, None, :]
        attend = torch.nn.functional.scaled_dot_product_attention
        identity = torch.eye(K.shape[-2], dtype=Q.dtype).expand(*K.shape[:2], -1, -1)
        weights = attend(Q, K, identity, attn_mask=mask)
        return self.W_O(merge_heads(attend(Q, K, V, attn_mask=mask))), weights
