"""The products themselves.
points: dot_products 0
Class: the sum left out. Fails dot_products_drawn, dot_products_width, dot_products_law.
"""

import math

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return q * k
