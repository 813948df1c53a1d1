"""No axis is given to softmax; torch takes 1 for two axes and 0 for three.
points: attention 5
Class: softmax on the wrong axis, the implicit one. Fails attention_batched.
"""

import math

import torch.nn.functional as F


def attention(Q, K, V, d_k):
    weights = F.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k))
    return weights @ V, weights
