"""A softmax of its own, without the divisor.
points: self_attention 0
Class: scale, none.
"""

import torch


def self_attention(X, W_Q, W_K, W_V):
    scores = (X @ W_Q) @ (X @ W_K).transpose(-2, -1)
    weights = torch.softmax(scores, dim=-1)
    return weights @ (X @ W_V), weights
