"""Coordinates beyond two standard deviations are cut off.
points: dot_products 2
Class: variance, another law of nearly the right variance. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator).clamp(-2, 2)
    k = torch.randn(n, d_k, generator=generator).clamp(-2, 2)
    return (q * k).sum(dim=1)
