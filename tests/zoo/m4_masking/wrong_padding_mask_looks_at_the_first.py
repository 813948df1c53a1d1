"""The guard looks at the first length only.
points: padding_mask 2
Class: a guard for one example. Fails padding_mask_errors.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if not 1 <= lengths[0] <= max_len:
        raise ValueError("length out of range")
    return torch.arange(max_len) < lengths[:, None]
