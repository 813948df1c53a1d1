"""Nobody sees themselves. The attention uses this mask rightly, and its first row is NaN.
points: causal_mask 0
Class: diagonal missing; paid for once. Fails causal_mask_values and causal_mask_form.
"""

import math

import torch


def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril(-1)


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(causal_mask(Q.shape[-2]) == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
