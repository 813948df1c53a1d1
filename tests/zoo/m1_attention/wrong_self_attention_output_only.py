"""Only the output is handed on.
points: self_attention 0
Class: wrong type: no pair.
"""


def self_attention(X, W_Q, W_K, W_V):
    output, _ = attention(X @ W_Q, X @ W_K, X @ W_V, W_K.shape[-1])
    return output
