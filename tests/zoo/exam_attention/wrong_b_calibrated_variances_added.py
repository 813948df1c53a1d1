"""The variances are added.
points: calibrated_attention 7
Class: scale. Fails calibrated_attention_divisor.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * (var_q + var_k) / 2)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
