"""Assertions for errors.
points: masked_attention 5.5
Class: error class. Fails masked_attention_guards_inputs, masked_attention_guards_mask and masked_attention_guards_no_key.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    assert queries.ndim == keys.ndim == values.ndim == 3, "axes"
    assert queries.shape[2] == keys.shape[2], "widths"
    assert keys.shape[:2] == values.shape[:2], "pairs"
    assert key_is_valid.shape == keys.shape[:2], "mask"
    assert key_is_valid.dtype == torch.bool, "mask"
    assert key_is_valid.any(dim=1).all(), "no key"
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], -math.inf), dim=-1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
