"""New linear layers are made at each call, and the matrices that were handed over lie idle.
points: self_attention 0
Class: layers made inside forward: random at each call.
"""

from torch import nn


def self_attention(X, W_Q, W_K, W_V):
    queries = nn.Linear(X.shape[-1], W_Q.shape[-1], bias=False, dtype=X.dtype)
    keys = nn.Linear(X.shape[-1], W_K.shape[-1], bias=False, dtype=X.dtype)
    values = nn.Linear(X.shape[-1], W_V.shape[-1], bias=False, dtype=X.dtype)
    return attention(queries(X), keys(X), values(X), W_K.shape[-1])
