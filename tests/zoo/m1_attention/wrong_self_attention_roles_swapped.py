"""The keys ask and the queries answer.
points: self_attention 0
Class: roles, Q and K exchanged: the scores are the transpose of the right ones.
"""


def self_attention(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    return attention(K, Q, V, K.shape[-1])
