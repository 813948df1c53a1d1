"""Padding comes first, as in batches for generation.
points: padding_mask 1
Class: the other side. Fails padding_mask_values and padding_mask_form.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError("length out of range")
    return torch.arange(max_len) >= max_len - lengths[:, None]
