"""A fill of -1e9, which is exactly nothing for any score of moderate size.
points: all
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
    scores = scores.masked_fill(key_is_valid.unsqueeze(1) == False, -1e9)
    weights = torch.softmax(scores, dim=-1)
    clean = values.clone()
    clean[~key_is_valid] = 0
    return weights @ clean, weights


def causal_attention(Q, K, V):
    T = Q.shape[-2]
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(torch.triu(torch.ones(T, T), diagonal=1) == 1, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
