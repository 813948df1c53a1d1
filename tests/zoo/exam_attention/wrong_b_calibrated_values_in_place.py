"""Padded values are zeroed in place.
points: calibrated_attention 9.5
Class: an argument changed. Fails calibrated_attention_properties.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    V[~key_is_valid] = 0.0
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
