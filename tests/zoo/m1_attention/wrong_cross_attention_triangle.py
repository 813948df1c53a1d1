"""A causal triangle over the source.
points: cross_attention 0
Class: a belief of the CLAIMS (E): the decoder may read every source position.
"""

import math

import torch


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    Q, K, V = X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    allowed = torch.ones_like(scores).tril().bool()
    weights = torch.softmax(scores.masked_fill(~allowed, -1e9), dim=-1)
    return weights @ V, weights
