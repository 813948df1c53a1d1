"""The sum runs over the pairs.
points: dot_products 0
Class: sum over the wrong axis. Fails dot_products_drawn, dot_products_width, dot_products_law. The table measures what comes of it.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return (q * k).sum(dim=0)
