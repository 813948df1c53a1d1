"""The scores themselves multiply V; the softmax is taken for the second half of the pair alone.
points: attention 0
Class: value mistake. The weights returned are right and the output is not made of them.
"""

import math

import torch


def attention(Q, K, V, d_k):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    return scores @ V, torch.softmax(scores, dim=-1)
