"""The global generator is seeded with a constant.
points: dot_products 1, variance_table 2
Class: variance, reseeding. Fails dot_products_drawn; single rows are all one draw, so that it fails dot_products_law as well.
"""

import math

import torch


def dot_products(n, d_k, generator):
    torch.manual_seed(0)
    return (torch.randn(n, d_k) * torch.randn(n, d_k)).sum(dim=1)
