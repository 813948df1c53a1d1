"""Keys times queries: a row for each source position, and a softmax over the decoder's.
points: cross_attention 0
Class: softmax on the wrong axis, and the weights are (T_k, T_q).
"""

import math

import torch


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    Q, K, V = X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V
    weights = torch.softmax(K @ Q.transpose(-2, -1) / math.sqrt(K.shape[-1]), dim=-1)
    return weights.transpose(-2, -1) @ V, weights
