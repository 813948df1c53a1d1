"""Softmax by hand: the row's largest score is taken off before exp, then each row is divided by its sum.
points: all
"""

import math

import torch


def softmax_rows(scores):
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    numerators = torch.exp(shifted)
    return numerators / numerators.sum(dim=-1, keepdim=True)


def attention(Q, K, V, d_k):
    weights = softmax_rows(Q @ K.mT / math.sqrt(d_k))
    return weights @ V, weights


def soft_lookup(query, keys, values, temperature):
    weights = softmax_rows((keys @ query) / temperature)
    return (weights[:, None] * values).sum(dim=0)


def weighted_value(weights, V, i):
    return (weights[i].unsqueeze(-1) * V).sum(0)
