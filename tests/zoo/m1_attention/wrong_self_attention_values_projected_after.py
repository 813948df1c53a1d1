"""Right values by another road for the output, with the gradient to W_V cut on the way.
points: self_attention 1
Class: gradients. Fails self_attention_batched: nothing reaches W_V.
"""


def self_attention(X, W_Q, W_K, W_V):
    output, weights = attention(X @ W_Q, X @ W_K, X, W_K.shape[-1])
    return output @ W_V.data, weights
