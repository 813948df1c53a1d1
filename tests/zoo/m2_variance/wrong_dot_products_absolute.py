"""Absolute values of the dot products.
points: dot_products 2
Class: variance, sign lost. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return (q * k).sum(dim=1).abs()
