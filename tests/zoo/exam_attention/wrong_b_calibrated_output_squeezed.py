"""The output and the weights are squeezed: wrong for a single example, query or key.
points: calibrated_attention 9.5
Class: works only for larger batches. Fails calibrated_attention_extremes.
"""

import math

import torch


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    scores = Q @ K.mT / math.sqrt(K.shape[-1] * var_q * var_k)
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], -math.inf), dim=-1)
    return (weights @ V.masked_fill(~key_is_valid[:, :, None], 0.0)).squeeze(), weights.squeeze()
