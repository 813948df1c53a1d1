"""Three functions that print their result and return nothing.
points: attention 0, self_attention 0, cross_attention 0, weighted_value 0, hard_lookup 0
Class: wrong type, None. self_attention and cross_attention hand on what attention gives.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    print(weights @ V, weights)


def weighted_value(weights, V, i):
    print(weights[i] @ V)


def hard_lookup(query, keys, values):
    print(values[(keys @ query).argmax()])
