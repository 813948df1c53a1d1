"""The dot products come back scaled.
points: dot_products 1
Class: scale, applied where it is not asked for. Fails dot_products_width, dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return (q * k).sum(dim=1) / d_k**0.5
