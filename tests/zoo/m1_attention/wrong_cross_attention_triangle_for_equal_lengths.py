"""A causal triangle whenever both sequences are equally long.
points: cross_attention 1
Class: mask, which has no place here. Fails cross_attention_values (as many queries as keys).
"""

import math

import torch


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    Q, K, V = X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    if scores.shape[-1] == scores.shape[-2]:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
