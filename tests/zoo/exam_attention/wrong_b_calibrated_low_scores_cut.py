"""Scores are cut below -100 alone.
points: calibrated_attention 9.5
Class: scores cut. Fails calibrated_attention_extremes.
"""

import math


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.clamp(min=-100)
    weights = scores.masked_fill(~key_is_valid[:, None, :], -math.inf).softmax(dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
