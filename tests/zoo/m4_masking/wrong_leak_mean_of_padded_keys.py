"""The weight of an average padded key.
points: zero_score_leak 0
Class: mean for sum. Fails zero_score_leak_values and zero_score_leak_limits (0 / 0 without padding).
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    padded = ~key_is_valid[:, None, :]
    weights = torch.softmax(scores.masked_fill(padded, 0.0), dim=-1)
    return (weights * padded).sum(dim=-1) / padded.sum(dim=-1)
