"""Causal attention by masked_attention: every query is an example of its own, whose later keys are padding.
points: all
"""

import torch


def causal_attention(Q, K, V):
    T, d, d_v = Q.shape[-2], Q.shape[-1], V.shape[-1]
    lead = Q.shape[:-2]
    queries = Q.reshape(-1, 1, d)
    keys = K.unsqueeze(-3).expand(*lead, T, T, d).reshape(-1, T, d)
    values = V.unsqueeze(-3).expand(*lead, T, T, d_v).reshape(-1, T, d_v)
    seen = causal_mask(T).expand(*lead, T, T).reshape(-1, T)
    output, weights = masked_attention(queries, keys, values, seen)
    return output.reshape(*lead, T, d_v), weights.reshape(*lead, T, T)
