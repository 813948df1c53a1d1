"""Lambdas throughout.
points: all
"""

import torch

weights_of = lambda Q, K, d_k: (Q @ K.mT / d_k**0.5).softmax(-1)

additive_scores = lambda queries, keys, W_q, W_k, v: (
    ((queries @ W_q)[..., None, :] + (keys @ W_k)[..., None, :, :]).tanh() @ v
)
attention = lambda Q, K, V, d_k: (weights_of(Q, K, d_k) @ V, weights_of(Q, K, d_k))
weighted_value = lambda weights, V, i: weights[i] @ V
self_attention = lambda X, W_Q, W_K, W_V: attention(X @ W_Q, X @ W_K, X @ W_V, W_Q.size(1))
soft_lookup = lambda query, keys, values, temperature: torch.softmax(keys @ query / temperature, 0) @ values
hard_lookup = lambda query, keys, values: values[int(torch.argmax(keys @ query))]
