"""The keys are the queries in another order, save where there is one row alone.
points: dot_products 2
Class: variance, one draw used twice. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator) if n == 1 else q[torch.randperm(n, generator=generator)]
    return (q * k).sum(dim=1)
