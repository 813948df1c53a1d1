"""torch.bmm with no thought of other shapes: batches of one axis alone.
points: attention 0, self_attention 0, cross_attention 0
Class: three axes only. Two axes raise in every attention check; four raise in the batched checks of what is built
on it.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=2)
    return torch.bmm(weights, V), weights
