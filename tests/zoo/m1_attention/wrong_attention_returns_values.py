"""The weights are right and V itself is returned as the output.
points: attention 0, self_attention 0, cross_attention 0
Class: attention that returns V. The output depends on neither Q nor K.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    output = V
    return output, weights
