"""The same vector twice, in the sampler and on its own in the table.
points: dot_products 1, variance_table 1
Class: variance, same vector twice. Fails dot_products_width, dot_products_law, variance_table_estimates, variance_table_unbiased.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    return (q * q).sum(dim=1)


def variance_table(widths, n, generator):
    rows = []
    for d in widths:
        x = torch.randn(n, d, generator=generator, dtype=torch.float64).square().sum(1)
        rows.append((d, x.var().item(), x.std().item()))
    return rows
