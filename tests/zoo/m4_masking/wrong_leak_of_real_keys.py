"""What is left for real keys.
points: zero_score_leak 0
Class: polarity inverted. Fails zero_score_leak_values and zero_score_leak_limits.
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    real = key_is_valid[:, None, :]
    return (torch.softmax(scores.masked_fill(~real, 0.0), dim=-1) * real).sum(dim=-1)
