"""Every dot product comes twice, with both signs.
points: dot_products 2
Class: independence, draws used twice. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    half = (n + 1) // 2
    q, k = (torch.randn(half, d_k, generator=generator) for _ in range(2))
    dots = (q * k).sum(dim=1)
    return torch.cat([dots, -dots])[:n]
