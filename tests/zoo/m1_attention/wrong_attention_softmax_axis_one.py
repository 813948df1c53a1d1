"""Softmax over axis 1, which is the keys of one sequence and the queries of a batch.
points: attention 5
Class: softmax on the wrong axis, axis 1. Fails attention_batched.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=1)
    return weights @ V, weights
