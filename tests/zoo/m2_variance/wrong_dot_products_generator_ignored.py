"""The generator is not used.
points: dot_products 2
Class: variance, the generator ignored. Fails dot_products_drawn. The table hands its generator on, which is all that it can do.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k)
    k = torch.randn(n, d_k)
    return (q * k).sum(dim=1)
