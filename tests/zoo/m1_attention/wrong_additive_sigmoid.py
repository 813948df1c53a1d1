"""sigmoid for tanh.
points: additive_scores 0
Class: additive, another nonlinearity.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    return torch.sigmoid((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ v
