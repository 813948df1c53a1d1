"""Coin flips for coordinates.
points: dot_products 2
Class: variance, another law. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    flips = torch.randint(0, 2, (2, n, d_k), generator=generator) * 2.0 - 1.0
    return (flips[0] * flips[1]).sum(dim=1)
