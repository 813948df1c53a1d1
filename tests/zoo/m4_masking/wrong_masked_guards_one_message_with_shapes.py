"""One message for all, which repeats the shapes: as text it differs, and it names nothing.
points: masked_attention 6.5
Class: guards with a common message. Fails masked_attention_guards_told_apart.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    fine = queries.ndim == keys.ndim == values.ndim == 3
    fine = fine and queries.shape[2] == keys.shape[2] and keys.shape[:2] == values.shape[:2]
    fine = fine and key_is_valid.shape == keys.shape[:2] and key_is_valid.dtype == torch.bool
    if not fine or not key_is_valid.any(dim=1).all():
        shapes = queries.shape, keys.shape, values.shape, key_is_valid.shape
        raise ValueError(f"bad input: {shapes}")
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], -math.inf), dim=-1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
