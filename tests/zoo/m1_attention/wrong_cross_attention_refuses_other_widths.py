"""Decoder and encoder must have one width, or it raises.
points: cross_attention 0
Class: a belief of the CLAIMS (D): raw widths may differ.
"""


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    if X_dec.shape[-1] != X_enc.shape[-1]:
        raise ValueError("decoder and encoder states differ in width")
    return attention(X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V, W_K.shape[-1])
