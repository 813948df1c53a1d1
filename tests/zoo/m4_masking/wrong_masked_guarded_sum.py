"""Softmax over everything, padded weights to zero, rows divided by their sum with a guard of 1e-9, as if it could be 0.
points: masked_attention 6.5
Class: guard in the divisor, paid for once. Fails masked_attention_extremes.
"""

import math

import torch


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
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    kept = torch.softmax(scores, dim=-1) * key_is_valid[:, None, :]
    weights = kept / (kept.sum(dim=-1, keepdim=True) + 1e-9)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    kept = torch.softmax(scores, dim=-1) * causal_mask(Q.shape[-2])
    weights = kept / (kept.sum(dim=-1, keepdim=True) + 1e-9)
    return weights @ V, weights
