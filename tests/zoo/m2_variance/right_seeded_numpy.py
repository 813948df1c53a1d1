"""A numpy generator whose seed is drawn from the given one.
points: all
"""

import numpy as np
import torch


def dot_products(n, d_k, generator):
    seed = int(torch.randint(0, 2**31, (1,), generator=generator))
    rng = np.random.default_rng(seed)
    return torch.from_numpy((rng.standard_normal((n, d_k)) * rng.standard_normal((n, d_k))).sum(axis=1))
