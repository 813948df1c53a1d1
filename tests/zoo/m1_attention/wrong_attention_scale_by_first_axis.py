"""Scaled by the length of the first axis of Q: the queries of one sequence, or the batch.
points: attention 1
Class: scale, sqrt of the batch or of T_q.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[0])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
