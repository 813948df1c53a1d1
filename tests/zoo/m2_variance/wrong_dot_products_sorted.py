"""The dot products come in order of size.
points: dot_products 2
Class: independence, the sample changed as a whole. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator); k = torch.randn(n, d_k, generator=generator)
    return (q * k).sum(1).sort().values
