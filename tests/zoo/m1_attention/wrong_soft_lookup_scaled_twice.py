"""Divided by the temperature and by sqrt(d).
points: soft_lookup 1
Class: scale. The limits are right (the best value, the mean), the values between are not.
"""

import math

import torch


def soft_lookup(query, keys, values, temperature):
    scores = keys @ query / math.sqrt(query.shape[0])
    return torch.softmax(scores / temperature, dim=0) @ values
