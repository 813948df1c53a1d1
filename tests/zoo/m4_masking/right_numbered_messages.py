"""Messages that differ by a number alone, raised as an error class of one's own.
points: all
"""

import math

import torch


class Refused(ValueError):
    pass


def refuse(condition, number):
    if condition:
        raise Refused(f"fault {number}")


def masked_attention(queries, keys, values, key_is_valid):
    refuse({queries.ndim, keys.ndim, values.ndim} != {3}, 1)
    refuse(queries.shape[-1] != keys.shape[-1], 2)
    refuse(keys.shape[0] != values.shape[0] or keys.shape[1] != values.shape[1], 3)
    refuse(key_is_valid.shape != keys.shape[:-1], 4)
    refuse(key_is_valid.dtype != torch.bool, 4)
    refuse((key_is_valid.sum(dim=-1) == 0).any(), 5)
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    weights = scores.masked_fill(~key_is_valid.unsqueeze(-2), -torch.inf).softmax(-1)
    return weights @ values.masked_fill(~key_is_valid.unsqueeze(-1), 0), weights
