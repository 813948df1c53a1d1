"""torch's own product, asked for the weights by an identity; the scale is an argument of its own.
points: all
"""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)

    def forward(self, query, keys, key_is_valid):
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        eye = torch.eye(keys.shape[1], dtype=keys.dtype).expand(len(keys), -1, -1)
        mask = key_is_valid[:, None, :]
        weights = scaled_dot_product_attention(self.W_q(query)[:, None], self.W_k(keys), eye, attn_mask=mask)
        return (weights @ keys)[:, 0], weights[:, 0]


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scale = (K.shape[-1] * var_q * var_k) ** -0.5
    mask = key_is_valid[:, None, :].expand(-1, Q.shape[1], -1)
    eye = torch.eye(K.shape[1], dtype=K.dtype).expand(len(K), -1, -1)
    weights = scaled_dot_product_attention(Q, K, eye, attn_mask=mask, scale=scale)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
