"""Written out with .T, for one sequence.
points: self_attention 1
Class: .T on batches. Fails self_attention_batched.
"""

import math

import torch


def self_attention(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    weights = torch.softmax(Q @ K.T / math.sqrt(K.shape[1]), dim=1)
    return weights @ V, weights
