"""A ValueError without a word.
points: padding_mask 2
Class: error without message. Fails padding_mask_errors.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError
    return torch.arange(max_len) < lengths[:, None]
