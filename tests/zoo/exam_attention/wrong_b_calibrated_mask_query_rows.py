"""The mask stands along the queries where it fits.
points: calibrated_attention 8
Class: query rows masked. Fails calibrated_attention_mask and calibrated_attention_excludes.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    if Q.shape[1] == K.shape[1]:
        scores = scores.masked_fill(~key_is_valid[:, :, None], -1e9)
    else:
        scores = scores.masked_fill(~key_is_valid[:, None, :], -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
