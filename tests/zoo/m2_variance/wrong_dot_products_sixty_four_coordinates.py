"""No more than 64 coordinates enter.
points: dot_products 2
Class: width, a fixed one. Fails dot_products_width.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator); k = torch.randn(n, d_k, generator=generator)
    return (q * k)[:, :64].sum(1)
