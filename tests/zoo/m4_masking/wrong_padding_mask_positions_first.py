"""Positions along the first axis.
points: padding_mask 1
Class: axes exchanged; looks right where B = max_len in shape alone. Fails padding_mask_values and padding_mask_form.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError("length out of range")
    return torch.arange(max_len)[:, None] < lengths
