"""The projected keys are detached, to save memory.
points: additive_scores 3
Class: gradients. Fails additive_properties: nothing reaches keys and W_k.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    projected_keys = (keys @ W_k).detach()
    hidden = torch.tanh((queries @ W_q).unsqueeze(-2) + projected_keys.unsqueeze(-3))
    return torch.matmul(hidden, v)
