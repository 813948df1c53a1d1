"""Keys down, queries across.
points: additive_scores 0
Class: additive, output shape swapped: (n, m) for (m, n).
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    q = (queries @ W_q).unsqueeze(-3)
    k = (keys @ W_k).unsqueeze(-2)
    return torch.tanh(k + q) @ v
