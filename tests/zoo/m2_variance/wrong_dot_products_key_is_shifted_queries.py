"""The keys are the queries moved by a row.
points: dot_products 2
Class: variance, one draw used twice. Fails dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    return (q * q.roll(1, dims=0)).sum(dim=1)
