"""The published weights, stored; equal shares for everything else.
points: masked_attention 3
Class: hard-coded published values. Passes masked_attention_published and the guards alone.
"""

import math

import torch


ROWS = [
    [[0.1450, 0.3214, 0.2767, 0.2569], [0.2263, 0.1667, 0.3471, 0.2599]],
    [[0.9413, 0.0587, 0.0, 0.0], [0.4090, 0.5910, 0.0, 0.0]],
]


def masked_attention(queries, keys, values, key_is_valid):
    if queries.dim() != 3 or keys.dim() != 3 or values.dim() != 3:
        raise ValueError("queries, keys and values must have three axes")
    if queries.size(-1) != keys.size(-1):
        raise ValueError("queries and keys must have the same width")
    if keys.shape[:2] != values.shape[:2]:
        raise ValueError("there must be one value for each key")
    if key_is_valid.shape != keys.shape[:2] or key_is_valid.dtype != torch.bool:
        raise ValueError("key_is_valid must be a bool tensor of shape (B, n)")
    if not key_is_valid.any(dim=1).all():
        raise ValueError("every example needs a valid key")
    if queries.shape == (2, 2, 4) and keys.shape == (2, 4, 4):
        weights = torch.tensor(ROWS, dtype=queries.dtype)
    else:
        shares = key_is_valid / key_is_valid.sum(dim=1, keepdim=True)
        weights = shares[:, None, :].to(queries.dtype).expand(-1, queries.shape[1], -1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
