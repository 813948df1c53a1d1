"""Queries and keys are normalised to unit length first.
points: attention 0
Class: another score. Cosines need not be in the order of the dot products.
"""

import math

import torch
import torch.nn.functional as F


def attention(Q, K, V, d_k):
    scores = F.normalize(Q, dim=-1) @ F.normalize(K, dim=-1).transpose(-2, -1)
    weights = torch.softmax(scores / math.sqrt(d_k), dim=-1)
    return weights @ V, weights
