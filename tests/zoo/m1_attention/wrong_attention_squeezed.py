"""Axes of size one are squeezed away.
points: attention 3
Class: shapes. Fails attention_extremes (one key) and attention_published (the dot snapshot has one query).
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1).squeeze()
    return (weights @ V).squeeze(), weights
