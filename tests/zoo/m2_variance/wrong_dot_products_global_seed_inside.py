"""The global generator is seeded at every call, always with the same number; the draws are right.
points: dot_products 2
Class: variance, the global state changed. Fails dot_products_drawn. The table that is built on it does with it as it is.
"""

import torch


def dot_products(n, d_k, generator):
    torch.manual_seed(0)
    q = torch.randn(n, d_k, generator=generator); k = torch.randn(n, d_k, generator=generator)
    return (q * k).sum(1)
