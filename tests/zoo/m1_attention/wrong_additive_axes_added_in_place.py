"""unsqueeze_ adds the axis to the caller's own queries and keys.
points: additive_scores 3
Class: an argument changed in place, its shape in this case. Fails additive_properties.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    queries.unsqueeze_(-2)
    keys.unsqueeze_(-3)
    return torch.tanh(queries @ W_q + keys @ W_k) @ v
