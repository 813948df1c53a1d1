"""Positions counted in eight bits.
points: padding_mask 2
Class: overflow. Fails padding_mask_form.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if lengths.min() < 1 or lengths.max() > max_len:
        raise ValueError("length out of range")
    return torch.arange(max_len).to(torch.uint8) < lengths.to(torch.uint8)[:, None]
