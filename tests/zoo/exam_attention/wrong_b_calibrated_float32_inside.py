"""The weights are computed in float32.
points: calibrated_attention 4
Class: float64 cut to float32. Fails calibrated_attention_unit, calibrated_attention_divisor and calibrated_attention_mask.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores.float(), dim=-1).to(V.dtype)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
