"""Padded keys are excluded, as they should be anywhere else.
points: zero_score_leak 0
Class: the wrong question. Fails zero_score_leak_values and zero_score_leak_limits.
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    padded = ~key_is_valid[:, None, :]
    return (torch.softmax(scores.masked_fill(padded, -math.inf), dim=-1) * padded).sum(dim=-1)
