"""The scores are computed under no_grad, so that only V learns.
points: attention 5
Class: gradients, Q and K detached. Fails attention_properties.
"""

import math

import torch


def attention(Q, K, V, d_k):
    with torch.no_grad():
        scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
        weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
