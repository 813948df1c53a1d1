"""The shortcut in float64, so that no comparison number by number knows it.
points: dot_products 2
Class: variance, the shortcut. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    return torch.randn(n, generator=generator, dtype=torch.float64) * d_k**0.5
