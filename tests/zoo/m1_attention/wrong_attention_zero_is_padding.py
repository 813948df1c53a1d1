"""A score of zero is taken for padding, out of habit.
points: attention 5
Class: mask fill. Fails attention_extremes (a key at a right angle to the query).
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.mT / math.sqrt(d_k)
    weights = torch.softmax(scores.masked_fill(scores == 0, -1e9), dim=-1)
    return weights @ V, weights
