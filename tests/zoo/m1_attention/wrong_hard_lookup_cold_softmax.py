"""A soft lookup at a temperature of 0.1.
points: hard_lookup 0
Class: soft where hard was asked for. Near the best value, not equal to it.
"""

import torch


def hard_lookup(query, keys, values):
    return torch.softmax(keys @ query / 0.1, dim=0) @ values
