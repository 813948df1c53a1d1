"""Padded keys keep their own scores.
points: zero_score_leak 0
Class: the wrong question. Fails zero_score_leak_values and zero_score_leak_limits.
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    return (torch.softmax(scores, dim=-1) * ~key_is_valid[:, None, :]).sum(dim=-1)
