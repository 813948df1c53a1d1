"""Neighbouring rows share a key.
points: dot_products 2
Class: independence, shared keys. Fails dot_products_law.
"""

import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn((n + 1) // 2, d_k, generator=generator).repeat_interleave(2, 0)[:n]
    return (q * k).sum(1)
