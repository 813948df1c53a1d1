"""Divided by sqrt(d_a), a habit from the dot product.
points: additive_scores 0
Class: scale, where none belongs.
"""

import math

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    hidden = torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3))
    return hidden @ v / math.sqrt(v.shape[0])
