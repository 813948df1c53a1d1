"""Keys are told apart by their score: what is zero must be padding.
points: zero_score_leak 1
Class: a score of zero is a score. Fails zero_score_leak_limits (all scores zero).
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    zeroed = scores * key_is_valid[:, None, :]
    return (torch.softmax(zeroed, dim=-1) * (zeroed == 0)).sum(dim=-1)
