"""Softmax over an axis of size one: every weight is one.
points: attention 0, self_attention 0, cross_attention 0
Class: softmax over a size-1 axis. The output is the sum of V and depends on neither Q nor K, so that what is built
on it is lost.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = (Q.unsqueeze(-2) * K.unsqueeze(-3)).sum(dim=-1, keepdim=True) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1).squeeze(-1)
    return weights @ V, weights
