"""Self-attention of the decoder under another name.
points: cross_attention 0
Class: roles, all three from one sequence.
"""


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    return self_attention(X_dec, W_Q, W_K, W_V)
