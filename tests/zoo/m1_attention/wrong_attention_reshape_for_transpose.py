"""K is reshaped to the shape of its transpose.
points: attention 0
Class: view or reshape that scrambles. Shapes pass, the dot products are of other numbers.
"""

import math

import torch


def attention(Q, K, V, d_k):
    turned = K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    weights = torch.softmax(Q @ turned / math.sqrt(d_k), dim=-1)
    return weights @ V, weights
