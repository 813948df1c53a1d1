"""True where a position is padding, as some of torch's own functions want it.
points: padding_mask 1
Class: polarity inverted. Fails padding_mask_values and padding_mask_form.
"""

import math

import torch


def padding_mask(lengths, max_len):
    if (lengths < 1).any() or (lengths > max_len).any():
        raise ValueError("lengths must lie between 1 and max_len")
    return torch.arange(max_len) >= lengths[:, None]
