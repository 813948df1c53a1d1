"""The encoder asks and the decoder answers.
points: cross_attention 0
Class: roles. Raises where the raw widths differ.
"""


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    return attention(X_enc @ W_Q, X_dec @ W_K, X_dec @ W_V, W_K.shape[-1])
