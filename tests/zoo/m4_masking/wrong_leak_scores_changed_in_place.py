"""Zeros are written into the caller's scores.
points: zero_score_leak 1
Class: an argument changed in place. Fails zero_score_leak_limits.
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    padded = (~key_is_valid[:, None, :]).expand_as(scores)
    scores[padded] = 0
    return (torch.softmax(scores, dim=-1) * padded).sum(dim=-1)
