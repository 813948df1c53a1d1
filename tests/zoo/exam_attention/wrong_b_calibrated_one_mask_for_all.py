"""The first example's mask holds for all.
points: calibrated_attention 6
Class: works only for B = 1. Fails calibrated_attention_mask, calibrated_attention_excludes, calibrated_attention_padding,
calibrated_attention_extremes and calibrated_attention_properties.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:1, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
