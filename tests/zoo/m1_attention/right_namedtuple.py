"""The pair is a namedtuple with a name for each half, and later cells use the names.
points: all
"""

import math
from collections import namedtuple

import torch

Attended = namedtuple("Attended", ["output", "weights"])


def attention(Q, K, V, d_k):
    weights = torch.softmax((Q @ K.mT) / math.sqrt(d_k), dim=-1)
    return Attended(output=weights @ V, weights=weights)


def self_attention(X, W_Q, W_K, W_V):
    attended = attention(X @ W_Q, X @ W_K, X @ W_V, W_Q.shape[-1])
    return Attended(attended.output, attended.weights)


def soft_lookup(query, keys, values, temperature):
    row = torch.softmax(keys @ query / temperature, dim=0)
    return Attended(row @ values, row).output
