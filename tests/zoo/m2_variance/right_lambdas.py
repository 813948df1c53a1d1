"""Lambdas, walrus and comprehensions.
points: all
"""

import math

import torch


dot_products = lambda n, d_k, generator: torch.mul(*(torch.randn(n, d_k, generator=generator) for _ in "qk")).sum(1)
variance_table = lambda widths, n, generator: [
    (d, (v := dot_products(n, d, generator).var()).item(), v.sqrt().item()) for d in widths
]
score_variance = lambda d_k, var_q=1.0, var_k=1.0: d_k * var_q * var_k
score_divisor = lambda d_k, var_q=1.0, var_k=1.0: math.prod((d_k, var_q, var_k)) ** 0.5
