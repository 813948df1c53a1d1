"""One key for all rows, drawn first.
points: dot_products 2
Class: variance, one k for all, in another order. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    k = torch.randn(d_k, generator=generator)
    return torch.randn(n, d_k, generator=generator) @ k
