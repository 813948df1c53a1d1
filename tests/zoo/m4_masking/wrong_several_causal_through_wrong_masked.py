"""Causal attention, rightly made of a masked attention that leaks.
points: masked_attention 0
Class: mask fill near zero, guards missing; paid for once. Fails all checks of masked_attention.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], 1e-9), dim=-1)
    return weights @ values, weights


def causal_attention(Q, K, V):
    T = Q.shape[-2]
    queries = Q.reshape(-1, 1, Q.shape[-1])
    keys, values = (t.unsqueeze(-3).expand(*t.shape[:-2], T, *t.shape[-2:]).reshape(-1, T, t.shape[-1]) for t in (K, V))
    seen = causal_mask(T).expand(*Q.shape[:-2], T, T).reshape(-1, T)
    output, weights = masked_attention(queries, keys, values, seen)
    return output.reshape(*Q.shape[:-1], V.shape[-1]), weights.reshape(*Q.shape[:-1], T)
