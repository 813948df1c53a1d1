"""All products of queries and keys in float64, and of these the diagonal.
points: all
Wasteful, and right: as many numbers as the square of the rows.
"""

import torch


def dot_products(n, d_k, generator):
    k = torch.randn(n, d_k, generator=generator, dtype=torch.float64)
    q = torch.randn(n, d_k, generator=generator, dtype=torch.float64)
    return torch.diagonal(q @ k.T)
