"""One key for all rows.
points: dot_products 2
Class: variance, one k for all. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(1, d_k, generator=generator)
    return (q * k).sum(dim=1)
