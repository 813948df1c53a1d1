"""A whole submission by one who thinks of one sequence: .T, new axes from the left, ties to the last.
points: additive_scores 3, attention 5, self_attention 1, cross_attention 1, hard_lookup 1
Class: batch shapes and ties. Each exercise loses its batch point alone.
"""

import math

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    return torch.tanh((queries @ W_q)[:, None] + (keys @ W_k)[None]) @ v


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.T / math.sqrt(d_k), dim=1)
    return weights @ V, weights


def self_attention(X, W_Q, W_K, W_V):
    return attention(X @ W_Q, X @ W_K, X @ W_V, W_K.shape[1])


def hard_lookup(query, keys, values):
    scores = keys @ query
    return values[(scores == scores.max()).nonzero()[-1, 0]]
