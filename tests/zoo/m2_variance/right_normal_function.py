"""torch.normal, einsum, a helper class, prints.
points: all
"""

import math

import torch


class Draw:
    """Pairs of vectors."""

    def __init__(self, generator):
        self.generator = generator

    def __call__(self, *shape, std=1.0):
        return torch.normal(0.0, std, shape, generator=self.generator)


def dot_products(n, d_k, generator):
    draw = Draw(generator)
    q, k = draw(n, d_k), draw(n, d_k)
    print("drawn", q.shape, k.shape)
    return torch.einsum("ij,ij->i", q, k)


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    draw = Draw(generator)
    rows = []
    for d in widths:
        q, k = draw(n_queries, d, std=var_q**0.5), draw(n_queries, n_keys, d, std=var_k**0.5)
        raw = torch.bmm(k, q[:, :, None])[..., 0]
        scaled = raw / score_divisor(d, var_q=var_q, var_k=var_k)
        rows.append([f(s) for f in (torch.var, lambda s: torch.softmax(s, -1).amax(-1).mean()) for s in (raw, scaled)])
    return torch.tensor(rows)
