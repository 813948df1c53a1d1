"""Minus the dot products: their law is the right one, and each number has the wrong sign.
points: dot_products 2
Class: sign. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return -(q * k).sum(dim=1)
