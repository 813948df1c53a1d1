"""Lengths above max_len are cut off in silence.
points: padding_mask 2
Class: half of the guards. Fails padding_mask_errors.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if (lengths < 1).any():
        raise ValueError("a sentence without words")
    return torch.arange(max_len) < lengths[:, None]
