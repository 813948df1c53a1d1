"""A whole submission without a divisor, tanh or temperature, and one claim wrong.
points: additive_scores 0, attention 1, soft_lookup 0, m1_claims 0.5
Class: scale, none; additive, tanh missing. self_attention and cross_attention are right compositions of this
attention.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    return ((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ v


def attention(Q, K, V, d_k):
    weights = torch.softmax(torch.matmul(Q, K.transpose(-2, -1)), dim=-1)
    return torch.matmul(weights, V), weights


def self_attention(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    return attention(Q, K, V, Q.shape[-1])


def soft_lookup(query, keys, values, temperature):
    return torch.softmax(keys @ query, dim=0) @ values


CLAIMS = {"A": 0, "B": 1, "C": 1, "D": 0, "E": 1, "F": 0, "G": 1, "H": 1}
