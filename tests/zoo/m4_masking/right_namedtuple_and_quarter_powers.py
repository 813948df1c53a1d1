"""Named tuples; the scale is a fourth root on either side, and the mask is made by comparing ranks.
points: all
"""

from collections import namedtuple

import torch

Attended = namedtuple("Attended", ["result", "weights"])


def padding_mask(lengths, max_len):
    if ((lengths <= 0) + (lengths > max_len)).any():
        raise ValueError("a length lies outside")
    return (torch.ones(len(lengths), max_len).cumsum(dim=1) <= lengths[:, None].float())


def causal_mask(T):
    return ~torch.ones(T, T).triu(1).bool()


def _attend(Q, K, V, keep):
    root = K.shape[-1] ** -0.25
    weights = ((Q * root) @ (K * root).transpose(-1, -2)).masked_fill(~keep, -torch.inf).softmax(-1)
    return Attended(weights @ V, weights)


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
    return _attend(queries, keys, values.masked_fill(~key_is_valid[..., None], 0), key_is_valid[:, None])


causal_attention = lambda Q, K, V: _attend(Q, K, V, causal_mask(Q.shape[-2]))
