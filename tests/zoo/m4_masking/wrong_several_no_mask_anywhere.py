"""Attention without any mask, twice: what ignores its mask excuses nothing.
points: masked_attention 0, causal_attention 0
Class: no mask.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    weights = torch.softmax(queries @ keys.mT / math.sqrt(keys.shape[-1]), dim=-1)
    return weights @ values, weights


def causal_attention(Q, K, V):
    weights = torch.softmax(Q @ K.mT / math.sqrt(K.shape[-1]), dim=-1)
    return weights @ V, weights
