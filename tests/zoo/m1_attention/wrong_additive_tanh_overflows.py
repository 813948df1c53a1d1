"""tanh as a quotient of exponentials.
points: additive_scores 3
Class: overflow. Fails additive_properties: inf / inf for large inputs.
"""

import torch


def tanh(x):
    return (torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x))


def additive_scores(queries, keys, W_q, W_k, v):
    return tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ v
