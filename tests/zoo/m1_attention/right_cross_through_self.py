"""self_attention has a fifth argument with a default, the memory, and cross_attention is a call of it.
points: all
"""

import math

import torch


def self_attention(X, W_Q, W_K, W_V, memory=None):
    if memory is None:
        memory = X
    scores = (X @ W_Q) @ (memory @ W_K).mT / math.sqrt(W_K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ (memory @ W_V), weights


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    return self_attention(X_dec, W_Q, W_K, W_V, memory=X_enc)


CLAIMS = {"A": 0, "B": 1, "C": 1, "D": 0, "E": 0, "F": 0, "G": 1, "H": 1}
