"""W_K projects the queries too.
points: self_attention 0
Class: roles. W_Q is never used.
"""


def self_attention(X, W_Q, W_K, W_V):
    K = X @ W_K
    return attention(K, K, X @ W_V, K.shape[-1])
