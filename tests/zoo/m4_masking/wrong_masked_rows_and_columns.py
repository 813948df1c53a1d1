"""Padded positions are hidden as keys and, where there are as many queries, as queries too.
points: masked_attention 5
Class: query rows masked. Fails masked_attention_values and masked_attention_excludes; right wherever queries and keys differ in number.
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
    allowed = key_is_valid[:, None, :].expand_as(scores)
    if scores.shape[1] == scores.shape[2]:
        allowed = allowed & key_is_valid[:, :, None]
    weights = torch.softmax(scores.masked_fill(~allowed, -math.inf), dim=-1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
