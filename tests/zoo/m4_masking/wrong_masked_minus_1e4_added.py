"""Minus 10,000 is added to padded scores, as BERT does: it leaks where a padded key scores 10,000 above the real ones.
points: masked_attention 6.5
Class: a fill too small for large scores. Fails masked_attention_extremes.
"""

import math

import torch

def check_inputs(q, k, v, m):
    if q.ndim != 3: raise ValueError("queries not 3-D")
    if k.ndim != 3: raise ValueError("keys not 3-D")
    if v.ndim != 3: raise ValueError("values not 3-D")
    if q.shape[2] != k.shape[2]: raise ValueError("widths of q and k differ")
    if k.shape[:2] != v.shape[:2]: raise ValueError("k and v do not pair")
    if m.shape != k.shape[:2] or m.dtype != torch.bool: raise ValueError("bad mask")
    if not m.any(1).all(): raise ValueError("no key for some example")
def masked_attention(queries, keys, values, key_is_valid):
    check_inputs(queries, keys, values, key_is_valid)
    s = queries @ keys.mT / math.sqrt(keys.shape[-1]) + torch.where(key_is_valid, 0., -1e4)[:, None].to(queries.dtype)
    w = s.softmax(-1)
    return w @ values.masked_fill(~key_is_valid[..., None], 0), w
