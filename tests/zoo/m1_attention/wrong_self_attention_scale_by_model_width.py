"""Divided by sqrt(d_model).
points: self_attention 0
Class: scale, sqrt of d_model. d_model and d differ in the checks.
"""

import math

import torch


def self_attention(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(X.shape[-1]), dim=-1)
    return weights @ V, weights
