"""The lower triangle in ones and zeros.
points: causal_mask 1
Class: dtype. Fails causal_mask_form.
"""

import math

import torch


def causal_mask(T):
    return torch.tril(torch.ones(T, T))


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(causal_mask(Q.shape[-2]) == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
