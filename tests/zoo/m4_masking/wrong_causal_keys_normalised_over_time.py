"""Keys are centred over all tokens before they are compared.
points: causal_attention 0
Class: the future leaks beside the weights. Fails causal_attention_values, causal_attention_batched and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    K = K / K.norm(dim=-2, keepdim=True) * K.shape[-2] ** 0.5
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores.masked_fill(~causal_mask(Q.shape[-2]), -math.inf), dim=-1)
    return weights @ V, weights
