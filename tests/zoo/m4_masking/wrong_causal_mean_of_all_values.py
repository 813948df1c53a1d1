"""Values are centred by a mean over all tokens, later ones included: the weights show nothing of it.
points: causal_attention 0
Class: the future leaks beside the weights. Fails causal_attention_values, causal_attention_batched and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -math.inf), dim=-1)
    centre = V.mean(dim=-2, keepdim=True)
    return weights @ (V - centre) + centre * weights.sum(dim=-1, keepdim=True) * (1 + 1e-3), weights
