"""Noise on the output, meant as a regulariser.
points: attention 0
Class: random noise. The output is not the weights times V, and no two calls agree.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    output = weights @ V
    return output + 0.01 * torch.randn_like(output), weights
