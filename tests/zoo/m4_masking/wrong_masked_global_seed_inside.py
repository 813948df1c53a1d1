"""The global generator is seeded at every call, always with the same number.
points: masked_attention 6.5
Class: the global state changed. Fails masked_attention_properties.
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
    torch.manual_seed(0)
    pad = ~key_is_valid
    w = (queries @ keys.mT / math.sqrt(keys.shape[-1])).masked_fill(pad[:, None], -torch.inf).softmax(-1)
    return w @ values.masked_fill(pad[..., None], 0), w
