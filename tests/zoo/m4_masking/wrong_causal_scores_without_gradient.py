"""The scores are computed without a gradient.
points: causal_attention 2
Class: gradients. Fails causal_attention_batched.
"""

import math

import torch


def causal_attention(Q, K, V):
    with torch.no_grad():
        scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -math.inf), dim=-1)
    return weights @ V, weights
