"""Keys from the encoder, values from the decoder.
points: cross_attention 0
Class: roles, K and V of different sequences.
"""


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    return attention(X_dec @ W_Q, X_enc @ W_K, X_dec @ W_V, W_K.shape[-1])
