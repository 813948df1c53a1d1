"""The matrices are turned, as the weights of nn.Linear would have to be.
points: self_attention 0
Class: shapes. Raises unless d_model = d.
"""


def self_attention(X, W_Q, W_K, W_V):
    return attention(X @ W_Q.T, X @ W_K.T, X @ W_V.T, W_K.shape[0])
