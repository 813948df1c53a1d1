"""The weights of padded keys, not added up.
points: zero_score_leak 0
Class: shape. Fails zero_score_leak_values and zero_score_leak_limits.
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    padded = ~key_is_valid[:, None, :]
    return torch.softmax(scores.masked_fill(padded, 0.0), dim=-1) * padded
