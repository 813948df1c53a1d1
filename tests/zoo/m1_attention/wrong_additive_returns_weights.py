"""The scores go through a softmax before they are returned.
points: additive_scores 0
Class: additive, weights where scores were asked for.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    hidden = torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3))
    return torch.softmax(hidden @ v, dim=-1)
