"""A helper that the student calls scaled_dot_product_attention, written from its parts.
points: all
Class: odd but right. The name is torch's, the code is not.
"""

import math

import torch


def scaled_dot_product_attention(queries, keys, values):
    """Not torch.nn.functional.scaled_dot_product_attention: this one returns the weights as well."""
    weights = torch.softmax(queries @ keys.mT / math.sqrt(keys.shape[-1]), dim=-1)
    return weights @ values, weights


def attention(Q, K, V, d_k):
    # The same as F.scaled_dot_product_attention, by hand.
    return scaled_dot_product_attention(Q, K, V)
