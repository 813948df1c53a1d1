"""The sample is divided by its own standard deviation and stretched to that of the theory.
points: dot_products 2
Class: independence, the sample changed as a whole. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    x = (torch.randn(n, d_k, generator=generator) * torch.randn(n, d_k, generator=generator)).sum(1)
    return x / x.std() * d_k**0.5 if n > 1 else x
