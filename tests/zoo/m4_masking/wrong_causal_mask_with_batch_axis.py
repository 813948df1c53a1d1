"""An axis for the batch in front.
points: causal_mask 0
Class: shape. Fails causal_mask_values and causal_mask_form; the attention broadcasts it, and takes the axis off again.
"""

import math

import torch


def causal_mask(T):
    return torch.ones(1, T, T, dtype=torch.bool).tril()


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2])[0], -math.inf), dim=-1)
    return weights @ V, weights
