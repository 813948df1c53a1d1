"""Any length will do.
points: padding_mask 2
Class: guards missing. Fails padding_mask_errors.
"""

import math

import torch


def padding_mask(lengths, max_len):
    return torch.arange(max_len) < lengths[:, None]
