"""A single row is squeezed away.
points: dot_products 2
Class: an axis of size one. Fails dot_products_drawn.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return (q * k).sum(dim=1).squeeze()
