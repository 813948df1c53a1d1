"""The products are averaged.
points: dot_products 1
Class: variance, mean for sum. Fails dot_products_width, dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return (q * k).mean(dim=1)
