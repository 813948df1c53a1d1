"""A length of max_len is refused, as if there had to be padding.
points: padding_mask 0
Class: a guard that is too strict. Fails padding_mask_values, padding_mask_form and padding_mask_errors.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() >= max_len:
        raise ValueError("length out of range")
    return torch.arange(max_len) < lengths[:, None]
