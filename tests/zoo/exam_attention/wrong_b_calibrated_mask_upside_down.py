"""Valid keys are excluded.
points: calibrated_attention 5.5
Class: polarity. Fails calibrated_attention_mask, calibrated_attention_excludes, calibrated_attention_output,
calibrated_attention_padding and calibrated_attention_extremes.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
