"""A mask of ones and zeros.
points: padding_mask 2
Class: dtype. Fails padding_mask_form.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError("length out of range")
    mask = torch.zeros(len(lengths), max_len)
    for row, length in zip(mask, lengths):
        row[:length] = 1
    return mask
