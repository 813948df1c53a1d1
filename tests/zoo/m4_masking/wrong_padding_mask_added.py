"""A mask to be added: 0 where real, minus infinity where not.
points: padding_mask 1
Class: scores for truth values. Fails padding_mask_values and padding_mask_form.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError("length out of range")
    return torch.where(torch.arange(max_len) < lengths[:, None], 0.0, -math.inf)
