"""ValueErrors without a word.
points: masked_attention 5
Class: error without message. Fails masked_attention_guards_inputs, masked_attention_guards_mask, masked_attention_guards_no_key and masked_attention_guards_told_apart.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    if not (queries.ndim == keys.ndim == values.ndim == 3) or queries.shape[2] != keys.shape[2]:
        raise ValueError()
    if keys.shape[:2] != values.shape[:2] or key_is_valid.shape != keys.shape[:2]:
        raise ValueError()
    if key_is_valid.dtype != torch.bool or not key_is_valid.any(dim=1).all():
        raise ValueError()
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], -math.inf), dim=-1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
