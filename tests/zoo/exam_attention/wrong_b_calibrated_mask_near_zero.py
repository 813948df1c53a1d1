"""Padded scores are set to 1e-9.
points: calibrated_attention 7.5
Class: mask fill near zero. Fails calibrated_attention_mask, calibrated_attention_excludes and calibrated_attention_extremes.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], 1e-9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
