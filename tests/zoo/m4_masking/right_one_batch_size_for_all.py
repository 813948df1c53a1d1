"""A sixth guard, for the batch of the queries; the mask is added as a logarithm.
points: all
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    for name, t in (("queries", queries), ("keys", keys), ("values", values)):
        if len(t.shape) != 3:
            raise ValueError(f"{name}: three axes, please")
    if keys.shape[:2] != values.shape[:2]:
        raise ValueError("keys and values: one of each for each position")
    if list(key_is_valid.shape) != list(values.shape[:2]) or key_is_valid.dtype != torch.bool:
        raise ValueError("key_is_valid: one truth value for each position")
    if len({queries.shape[0], keys.shape[0], values.shape[0]}) > 1:
        raise ValueError("one batch size for all")
    if queries.shape[2] != keys.shape[2]:
        raise ValueError("queries and keys: one width")
    if torch.any(torch.sum(key_is_valid, dim=1) == 0):
        raise ValueError("nothing to attend to")
    scores = torch.einsum("bqd,bkd->bqk", queries, keys) / math.sqrt(keys.shape[2])
    scores = scores + torch.log(key_is_valid.to(scores.dtype))[:, None, :]
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return torch.einsum("bqk,bkv->bqv", weights, values.masked_fill(~key_is_valid[..., None], 0)), weights
