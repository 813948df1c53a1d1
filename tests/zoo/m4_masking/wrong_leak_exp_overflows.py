"""The formula as it stands, exponentials and all.
points: zero_score_leak 1
Class: overflow for large scores. Fails zero_score_leak_limits.
"""

import math

import torch


def zero_score_leak(scores, key_is_valid):
    real = (scores.exp() * key_is_valid[:, None, :]).sum(dim=-1)
    padded = (~key_is_valid).sum(dim=-1, keepdim=True)
    return padded / (padded + real)
