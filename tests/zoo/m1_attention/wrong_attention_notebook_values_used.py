"""The values of an experiment further up are used where the argument V was meant.
points: attention 0, self_attention 0, cross_attention 0
Class: globals of the notebook used by accident. Any number of keys but three raises, and so does float64.
"""

import math

import torch

traced_values = torch.tensor([[0.1, -0.5, 0.8, 0.3], [0.6, 0.2, -0.4, 0.9], [-0.3, 0.7, 0.1, -0.2]])


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weights @ traced_values, weights
