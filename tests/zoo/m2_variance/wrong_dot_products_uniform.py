"""Uniform coordinates with variance one: the right variance and another law.
points: dot_products 2
Class: variance, another law. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q, k = (math.sqrt(3) * (2 * torch.rand(n, d_k, generator=generator) - 1) for _ in range(2))
    return (q * k).sum(dim=1)
