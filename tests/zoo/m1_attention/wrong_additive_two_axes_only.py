"""The new axes are counted from the left, which fits two axes alone.
points: additive_scores 3
Class: batch shapes. Fails additive_batched.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    q = (queries @ W_q)[:, None, :]
    k = (keys @ W_k)[None, :, :]
    return torch.tanh(q + k) @ v
