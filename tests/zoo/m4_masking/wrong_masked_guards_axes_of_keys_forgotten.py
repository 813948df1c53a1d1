"""The axes of queries and values are counted, those of the keys are not.
points: masked_attention 6.5
Class: guards. Fails masked_attention_guards_inputs.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    if queries.ndim != 3 or values.ndim != 3:
        raise ValueError("queries and values must have three axes")
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError("queries and keys must have the same width")
    if keys.shape[:2] != values.shape[:2]:
        raise ValueError("there must be one value for each key")
    if key_is_valid.shape != keys.shape[:2] or key_is_valid.dtype != torch.bool:
        raise ValueError("key_is_valid must be a bool tensor of shape (B, n)")
    if not key_is_valid.any(dim=1).all():
        raise ValueError("every example needs a valid key")
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], -math.inf), dim=-1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
