"""The global generator is seeded from the given one, and drawn from.
points: dot_products 2
Class: variance, the global state changed. Fails dot_products_drawn.
"""

import math

import torch


def dot_products(n, d_k, generator):
    torch.manual_seed(int(torch.randint(0, 2**31, (1,), generator=generator)))
    return (torch.randn(n, d_k) * torch.randn(n, d_k)).sum(dim=1)
