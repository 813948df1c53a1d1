"""The largest score of the whole matrix is taken off, not that of each row.
points: attention 5
Class: large scores. A row far below the largest one underflows to 0 / 0. Fails attention_extremes.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    numerators = torch.exp(scores - scores.max())
    weights = numerators / numerators.sum(dim=-1, keepdim=True)
    return weights @ V, weights
