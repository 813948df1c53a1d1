"""Divided by n, with draws of its own.
points: variance_table 2
Class: variance, population variance. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d in widths:
        k = torch.randn(n, d, generator=generator)
        q = torch.randn(n, d, generator=generator)
        x = (q * k).sum(1)
        variance = float(((x - x.mean()) ** 2).mean())
        rows.append((d, variance, variance**0.5))
    return rows
