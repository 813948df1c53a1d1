"""tril of the weights, not divided again.
points: causal_attention 0
Class: masked after softmax without renormalising. Fails causal_attention_values, causal_attention_batched and causal_attention_future.
"""

import math

import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1).tril()
    return weights @ V, weights
