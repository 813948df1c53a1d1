"""The sample's own mean is taken off.
points: dot_products 2
Class: independence, the sample changed as a whole. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator); k = torch.randn(n, d_k, generator=generator)
    x = (q * k).sum(1)
    return x - x.mean() if n > 1 else x
