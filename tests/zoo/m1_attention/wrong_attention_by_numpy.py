"""Computed by numpy and turned back into tensors.
points: attention 5, self_attention 1, cross_attention 1
Class: gradients. A tensor that requires a gradient cannot be turned into an array: attention_properties fails by
an error.
"""

import numpy as np
import torch


def attention(Q, K, V, d_k):
    q, k, v = Q.numpy(), K.numpy(), V.numpy()
    scores = q @ np.swapaxes(k, -1, -2) / float(np.sqrt(d_k))
    numerators = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = numerators / numerators.sum(axis=-1, keepdims=True)
    return torch.from_numpy(weights @ v), torch.from_numpy(weights)
