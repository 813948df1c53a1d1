"""tanh of each projection, then the sum.
points: additive_scores 0
Class: additive, tanh in the wrong place: the query cancels in the softmax again.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    q = torch.tanh(queries @ W_q)
    k = torch.tanh(keys @ W_k)
    return (q.unsqueeze(-2) + k.unsqueeze(-3)) @ v
