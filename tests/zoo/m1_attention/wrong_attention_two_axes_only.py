"""torch.mm, which takes matrices and nothing else.
points: attention 5, self_attention 1, cross_attention 1
Class: two axes only. Fails attention_batched by an error.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(torch.mm(Q, K.t()) / math.sqrt(d_k), dim=-1)
    return torch.mm(weights, V), weights
