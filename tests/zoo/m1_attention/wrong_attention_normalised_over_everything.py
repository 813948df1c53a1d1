"""By hand, and divided by the sum of the whole matrix.
points: attention 0
Class: softmax on the wrong axis, all axes at once.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    numerators = torch.exp(scores - scores.max())
    weights = numerators / numerators.sum()
    return weights @ V, weights
