"""self_attention is cross_attention of a sequence with itself; the latter is defined some cells later.
points: all
The visible asserts under self_attention cannot run yet when its cell ends: cross_attention is not defined there.
"""


def self_attention(X, W_Q, W_K, W_V):
    return cross_attention(X, X, W_Q, W_K, W_V)


def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):
    queries, keys, values = X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V
    return attention(queries, keys, values, keys.shape[-1])
