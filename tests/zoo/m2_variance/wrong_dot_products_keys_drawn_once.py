"""The keys are drawn once for ever.
points: dot_products 2
Class: generator. Fails dot_products_law.
"""

import torch


KEYS = torch.randn(20_000, 600, generator=torch.Generator().manual_seed(5))


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    return (q * KEYS[:n, :d_k]).sum(dim=1)
