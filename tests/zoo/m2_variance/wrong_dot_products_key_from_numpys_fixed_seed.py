"""The keys come from numpy, seeded in every call.
points: dot_products 2
Class: generator. Fails dot_products_law.
"""

import numpy as np
import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator)
    k = torch.from_numpy(np.random.default_rng(0).standard_normal((n, d_k))).float()
    return (q * k).sum(dim=1)
