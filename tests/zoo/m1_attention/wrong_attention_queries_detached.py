"""The queries are detached.
points: attention 5
Class: gradients. Every value is right; W_Q learns nothing. Fails attention_properties.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q.detach() @ K.transpose(-2, -1) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
