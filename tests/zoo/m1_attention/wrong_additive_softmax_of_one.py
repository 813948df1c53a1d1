"""v is a column, and the softmax runs over the axis of size one that it leaves.
points: additive_scores 0
Class: additive, softmax over a size-1 axis: everything is one.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    hidden = torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3))
    scores = hidden @ v.unsqueeze(-1)
    return torch.softmax(scores, dim=-1).squeeze(-1)
