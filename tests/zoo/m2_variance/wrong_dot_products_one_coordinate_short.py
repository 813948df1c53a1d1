"""The last coordinate is left out of the sum.
points: dot_products 2
Class: off by one. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return (q * k)[:, 1:].sum(dim=1)
