"""X itself stands for the values.
points: self_attention 0
Class: roles, V = X.
"""


def self_attention(X, W_Q, W_K, W_V):
    return attention(X @ W_Q, X @ W_K, X, W_K.shape[-1])
