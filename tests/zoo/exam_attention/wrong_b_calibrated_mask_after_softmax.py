"""Padded weights are zeroed and the rest is not divided anew.
points: calibrated_attention 7.5
Class: mask after softmax. Fails calibrated_attention_mask, calibrated_attention_excludes and calibrated_attention_extremes.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    weights = torch.softmax(scores, dim=-1) * key_is_valid[:, None, :]
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
