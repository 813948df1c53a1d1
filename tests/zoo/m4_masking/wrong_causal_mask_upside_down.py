"""True where a key is to be hidden; the attention fills where the mask is True, and is right.
points: causal_mask 0
Class: polarity inverted. Fails causal_mask_values and causal_mask_form.
"""

import math

import torch


def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).triu(1)


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(causal_mask(Q.shape[-2]), -math.inf), dim=-1)
    return weights @ V, weights
