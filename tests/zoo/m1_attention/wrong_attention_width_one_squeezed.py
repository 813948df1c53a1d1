"""The value axis is squeezed away when values have width one.
points: attention 5
Class: shapes. Fails attention_extremes (values of width one).
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.mT / math.sqrt(d_k), dim=-1)
    return (weights @ V).squeeze(-1), weights
