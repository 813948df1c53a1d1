"""Whatever comes is refused.
points: masked_attention 0
Class: guards that are too strict. Fails all checks of masked_attention.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    raise ValueError(f"{queries.shape} {keys.shape} {values.shape} {key_is_valid.shape}")
