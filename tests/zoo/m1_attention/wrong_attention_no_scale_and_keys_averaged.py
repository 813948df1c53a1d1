"""Two mistakes at once: no divisor, and the weights average the keys.
points: attention 0, self_attention 0, cross_attention 0
Class: scale and value together.
"""

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1), dim=-1)
    return torch.matmul(weights, K), weights
