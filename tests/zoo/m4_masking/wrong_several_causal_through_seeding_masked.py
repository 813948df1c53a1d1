"""The global generator is seeded in masked_attention, and causal_attention goes through it.
points: masked_attention 6.5
Class: the global state changed, paid for once. Fails masked_attention_properties. causal_attention does with it as it is.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    torch.manual_seed(1)
    if not queries.ndim == keys.ndim == values.ndim == 3:
        raise ValueError("queries, keys and values need three axes")
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError("queries and keys have different widths")
    if keys.shape[:2] != values.shape[:2]:
        raise ValueError("keys and values do not pair up")
    if key_is_valid.shape != keys.shape[:2] or key_is_valid.dtype != torch.bool:
        raise ValueError("the mask is not a bool tensor (B, n)")
    if not key_is_valid.any(dim=1).all():
        raise ValueError("an example has no real key")
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    weights = scores.masked_fill(~key_is_valid[:, None], -math.inf).softmax(-1)
    return weights @ values.masked_fill(~key_is_valid[..., None], 0.0), weights


def causal_attention(Q, K, V):
    T, rows = Q.shape[-2], Q.shape[:-1].numel()
    queries = Q.reshape(rows, 1, -1)
    keys, values = (t.unsqueeze(-3).expand(*t.shape[:-2], T, *t.shape[-2:]).reshape(rows, T, -1) for t in (K, V))
    allowed = causal_mask(T).expand(*Q.shape[:-2], T, T).reshape(rows, T)
    output, weights = masked_attention(queries, keys, values, allowed)
    return output.reshape(V.shape), weights.reshape(*Q.shape[:-1], T)
