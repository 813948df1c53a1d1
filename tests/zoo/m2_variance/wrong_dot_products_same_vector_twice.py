"""q is multiplied with itself.
points: dot_products 1
Class: variance, same vector twice. Fails dot_products_width, dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = q
    return (q * k).sum(dim=1)
