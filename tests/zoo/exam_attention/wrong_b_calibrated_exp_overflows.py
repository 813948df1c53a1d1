"""exp by hand, without the largest score taken off.
points: calibrated_attention 9.5
Class: overflow. Fails calibrated_attention_extremes.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    powers = scores.exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
