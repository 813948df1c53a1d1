"""One normal number of variance d_k.
points: dot_products 2
Class: variance, the shortcut. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    return torch.randn(n, generator=generator) * d_k**0.5
