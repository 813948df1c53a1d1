"""The scores are computed without a gradient.
points: calibrated_attention 9.5
Class: Q or K detached. Fails calibrated_attention_properties.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q.detach() @ K.detach().mT / math.sqrt(K.shape[-1] * var_q * var_k)
    scores = scores.masked_fill(~key_is_valid[:, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0), weights
