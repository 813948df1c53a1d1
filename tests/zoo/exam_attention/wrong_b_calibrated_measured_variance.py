"""The scores are divided by their own standard deviation.
points: calibrated_attention 4.5
Class: scale. Fails calibrated_attention_unit, calibrated_attention_divisor and calibrated_attention_properties.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT
    scores = scores / scores.std()
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
