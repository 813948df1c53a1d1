"""The hidden units are added up without v.
points: additive_scores 0
Class: additive, v missing.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    hidden = torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3))
    return hidden.sum(dim=-1)
