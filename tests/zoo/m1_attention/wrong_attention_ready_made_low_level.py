"""torch's own function by its address in torch.ops, the weights by hand.
points: attention 5
Class: library answer, below torch.nn.functional. Fails attention_from_scratch alone.
"""

import math

import torch


def attention(Q, K, V, d_k):
    weights = (Q @ K.transpose(-2, -1) / math.sqrt(d_k)).softmax(-1)
    return torch.ops.aten.scaled_dot_product_attention(Q, K, V), weights
