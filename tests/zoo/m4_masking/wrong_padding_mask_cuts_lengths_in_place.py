"""Lengths are cut to what fits, in the caller's own tensor.
points: padding_mask 1
Class: an argument changed in place. Fails padding_mask_form and padding_mask_errors.
"""

import math

import torch


def padding_mask(lengths, max_len):
    lengths.clamp_(1, max_len)
    mask = torch.arange(max_len) < lengths[:, None]
    lengths -= 1
    return mask
