"""Scaled by K.size(1): the width of one sequence, the number of keys of a batch.
points: attention 5
Class: scale, sqrt of the sequence length, for batches alone. Fails attention_batched.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.size(1))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
