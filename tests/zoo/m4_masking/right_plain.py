"""The recipe of the notebook, written down plainly.
points: all
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError("lengths out of range")
    return torch.arange(max_len)[None, :] < lengths[:, None]


def causal_mask(T):
    return torch.tril(torch.ones(T, T, dtype=torch.bool))


def zero_score_leak(scores, key_is_valid):
    padded = ~key_is_valid[:, None, :]
    weights = torch.softmax(scores.masked_fill(padded, 0), dim=-1)
    return (weights * padded).sum(-1)


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
    scores = queries @ keys.transpose(1, 2) / math.sqrt(keys.size(-1))
    scores = scores.masked_fill(~key_is_valid[:, None, :], float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0), weights


def causal_attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.size(-1))
    scores = scores.masked_fill(~causal_mask(Q.size(-2)), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("only padding")
    return torch.nn.functional.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id)
