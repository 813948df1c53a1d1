"""The weights are turned before they meet V, which needs as many queries as keys.
points: attention 0, self_attention 2, cross_attention 0
Class: right shapes only when T_q = T_k. In self-attention the composition is the student's own; across two lengths
it raises.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weights.transpose(-2, -1) @ V, weights
