"""W_q projects queries and keys alike.
points: additive_scores 0
Class: additive, one projection for both. Raises where d_q and d_k differ.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    q = queries @ W_q
    k = keys @ W_q
    return torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3)) @ v
