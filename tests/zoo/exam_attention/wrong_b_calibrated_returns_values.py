"""V is returned where its shape fits.
points: calibrated_attention 8
Class: attention that returns V. Fails calibrated_attention_output and calibrated_attention_padding.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return V.masked_fill(~key_is_valid[:, :, None], 0.0)[:, : Q.shape[1]], weights
