"""Sigmoid of each score, divided by the row's sum.
points: attention 1
Class: another squashing function. Rows sum to one and keep the order of the dot products: attention_from_scratch
alone.
"""

import math

import torch


def attention(Q, K, V, d_k):
    gates = torch.sigmoid(Q @ K.transpose(-2, -1) / math.sqrt(d_k))
    weights = gates / gates.sum(dim=-1, keepdim=True)
    return weights @ V, weights
