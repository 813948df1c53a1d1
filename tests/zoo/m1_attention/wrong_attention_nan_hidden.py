"""exp overflows, and nan_to_num hides what came of it.
points: attention 5
Class: overflow for large scores, hidden. Fails attention_extremes: the rows no longer sum to one.
"""

import math

import torch


def attention(Q, K, V, d_k):
    numerators = torch.exp(Q @ K.transpose(-2, -1) / math.sqrt(d_k))
    weights = torch.nan_to_num(numerators / numerators.sum(dim=-1, keepdim=True))
    return weights @ V, weights
