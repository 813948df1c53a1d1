"""Softmax over axis 0: the queries of one sequence, the examples of a batch.
points: attention 0
Class: softmax on the wrong axis, axis 0.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=0)
    return weights @ V, weights
