"""A mask to be added, with minus infinity above the diagonal.
points: causal_mask 0
Class: scores for truth values. Fails causal_mask_values and causal_mask_form.
"""

import math

import torch


def causal_mask(T):
    return torch.full((T, T), -math.inf).triu(1)


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores + causal_mask(Q.shape[-2]).to(Q.dtype), dim=-1)
    return weights @ V, weights
