"""Normal queries, uniform keys.
points: dot_products 2
Class: variance, another law on one side. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = math.sqrt(12) * (torch.rand(n, d_k, generator=generator) - 0.5)
    return (q * k).sum(dim=1)
