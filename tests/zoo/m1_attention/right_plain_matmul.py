"""Every function as most textbooks write it: matmul, softmax over the last axis, math for the root.
points: all
"""

import math

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    projected_queries = (queries @ W_q).unsqueeze(-2)
    projected_keys = (keys @ W_k).unsqueeze(-3)
    return torch.tanh(projected_queries + projected_keys) @ v


def attention(Q, K, V, d_k):
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights


def weighted_value(weights, V, i):
    return weights[i] @ V


def self_attention(X, W_Q, W_K, W_V):
    return attention(X @ W_Q, X @ W_K, X @ W_V, W_K.shape[-1])


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    return attention(X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V, W_K.shape[-1])


def soft_lookup(query, keys, values, temperature):
    return torch.softmax(keys @ query / temperature, dim=0) @ values
