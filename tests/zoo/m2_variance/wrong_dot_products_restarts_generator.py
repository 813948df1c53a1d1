"""The generator starts again at every call.
points: dot_products 2
Class: variance, reseeding. Fails dot_products_drawn. The table is the right composition of it.
"""

import math

import torch


def dot_products(n, d_k, generator):
    generator.manual_seed(generator.initial_seed())
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return (q * k).sum(dim=1)
