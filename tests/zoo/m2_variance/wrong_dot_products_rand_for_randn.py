"""torch.rand for torch.randn.
points: dot_products 1
Class: variance, uniform on 0 to 1. Fails dot_products_width, dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.rand(n, d_k, generator=generator)
    k = torch.rand(n, d_k, generator=generator)
    return (q * k).sum(dim=1)
