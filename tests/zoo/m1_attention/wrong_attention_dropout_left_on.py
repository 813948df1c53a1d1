"""Dropout of 0.1 on the weights, which functional dropout applies unless told that nobody trains.
points: attention 0
Class: dropout left on. No two calls agree, so that no composition can agree either.
"""

import math

import torch
import torch.nn.functional as F


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    weights = F.dropout(weights, p=0.1)
    return weights @ V, weights
