"""Raw scores are filled with -1e4.
points: calibrated_attention 9.5
Class: mask fill too small. Fails calibrated_attention_extremes.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT
    scores = scores.masked_fill(~key_is_valid[:, None, :], -1e4)
    scores = scores / math.sqrt(K.shape[-1] * var_q * var_k)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
