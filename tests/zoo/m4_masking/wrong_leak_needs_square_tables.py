"""The mask is multiplied in without an axis for the queries.
points: zero_score_leak 0
Class: only right where B = m. Fails zero_score_leak_values and zero_score_leak_limits.
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    weights = torch.softmax(scores * key_is_valid, dim=-1)
    return (weights * ~key_is_valid).sum(dim=-1)
