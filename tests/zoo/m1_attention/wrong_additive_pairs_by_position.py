"""Query i meets key i alone, and the row of scores is repeated.
points: additive_scores 0
Class: right shapes only when m = n; otherwise it raises.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    scores = torch.tanh(queries @ W_q + keys @ W_k) @ v
    return scores.unsqueeze(-2).expand(*scores.shape[:-1], queries.shape[-2], keys.shape[-2])
