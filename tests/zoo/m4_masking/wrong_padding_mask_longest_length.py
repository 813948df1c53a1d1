"""As wide as the longest example; max_len is used for the guard alone.
points: padding_mask 1
Class: only right where sizes coincide. Fails padding_mask_values and padding_mask_form.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError("length out of range")
    return torch.arange(int(lengths.max())) < lengths[:, None]
