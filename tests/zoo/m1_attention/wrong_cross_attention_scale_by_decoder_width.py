"""Divided by the root of the decoder's raw width.
points: cross_attention 0
Class: scale, sqrt of d_dec.
"""

import math

import torch


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    Q, K, V = X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V
    scores = Q @ K.transpose(-2, -1) / math.sqrt(X_dec.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
