"""The axes of all inputs are counted together: 2-D queries with 4-D keys pass.
points: masked_attention 6.5
Class: guards, one case tested. Fails masked_attention_guards_inputs.
"""

import math

import torch
def masked_attention(queries, keys, values, key_is_valid):
    if queries.ndim + keys.ndim + values.ndim != 9: raise ValueError("axes")
    if queries.shape[-1] != keys.shape[-1]: raise ValueError("width")
    if keys.shape[:2] != values.shape[:2]: raise ValueError("pairs")
    if key_is_valid.shape != keys.shape[:2] or key_is_valid.dtype != torch.bool: raise ValueError("mask")
    if not key_is_valid.any(1).all(): raise ValueError("none")
    w = (queries @ keys.mT / math.sqrt(keys.shape[-1])).masked_fill(~key_is_valid[:, None], -torch.inf).softmax(-1)
    return w @ values.masked_fill(~key_is_valid[..., None], 0), w
