"""A one-hot row in float32, whatever the values are.
points: hard_lookup 1
Class: float64 cut to float32. float64 values meet a float32 row and raise.
"""

import torch
import torch.nn.functional as F


def hard_lookup(query, keys, values):
    best = torch.argmax(keys @ query)
    return F.one_hot(best, num_classes=keys.shape[0]).float() @ values
