"""The scores are clamped to 50 so that exp cannot overflow.
points: attention 5
Class: large scores. Finite, but all scores past the bound become equal. Fails attention_extremes by value.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = (Q @ K.transpose(-2, -1) / math.sqrt(d_k)).clamp(-50, 50)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
