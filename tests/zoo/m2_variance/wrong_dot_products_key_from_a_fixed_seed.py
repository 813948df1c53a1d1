"""The keys come from a generator that every call seeds anew.
points: dot_products 2
Class: generator. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=torch.Generator().manual_seed(1))
    return (q * k).sum(dim=1)
