"""Exponentials without the largest score taken off: nothing is left of scores near -1e4.
points: causal_attention 2
Class: overflow for large scores. Fails causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    powers = scores.exp() * causal_mask(Q.shape[-2])
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ V, weights
