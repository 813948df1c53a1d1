"""Masks that are added: 0 where a key may be read, something very low where not.
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
    bias = (1.0 - key_is_valid.to(queries.dtype)) * -1e9
    weights = torch.softmax(queries @ keys.mT / math.sqrt(keys.shape[-1]) + bias[:, None, :], dim=-1)
    return weights @ torch.where(key_is_valid[..., None], values, 0.0), weights


def causal_attention(Q, K, V):
    T = Q.shape[-2]
    bias = torch.full((T, T), float("-inf"), dtype=Q.dtype).triu(1)
    weights = torch.softmax(Q @ K.mT / math.sqrt(K.shape[-1]) + bias, dim=-1)
    return weights @ V, weights


def masked_cross_entropy(logits, targets, pad_id):
    keep = (targets != pad_id).to(logits.dtype)
    if keep.sum() == 0:
        raise ValueError("all targets are padding")
    losses = torch.nn.functional.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), reduction="none"
    )
    return (losses * keep.reshape(-1)).sum() / keep.sum()
