"""An assertion in the place of a ValueError.
points: padding_mask 2
Class: error class. Fails padding_mask_errors.
"""

import math

import torch


def padding_mask(lengths, max_len):
    assert lengths.min() >= 1, "too short"
    assert lengths.max() <= max_len, "too long"
    return torch.arange(max_len) < lengths[:, None]
