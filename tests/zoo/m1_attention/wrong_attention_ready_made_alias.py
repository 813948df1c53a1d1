"""torch's own function under another name for the output, the weights by hand.
points: attention 5
Class: library answer, imported under an alias. Fails attention_from_scratch alone.
"""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention as weighted_average


def attention(Q, K, V, d_k):
    weights = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weighted_average(Q, K, V), weights
