"""Softmax over axis -2: each column sums to one.
points: attention 0
Class: softmax on the wrong axis, over queries.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-2)
    return weights @ V, weights
