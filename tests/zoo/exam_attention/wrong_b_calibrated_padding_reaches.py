"""Padded values are multiplied by zero.
points: calibrated_attention 9
Class: padded values that are NaN reach the output. Fails calibrated_attention_padding.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
