"""One draw at the largest width, cut to each.
points: variance_table 1
Class: variance, one draw reused. Fails variance_table_rows, variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    q, k = (torch.randn(n, max(widths), generator=generator) for _ in range(2))
    rows = []
    for d in widths:
        variance = (q[:, :d] * k[:, :d]).sum(1).var().item()
        rows.append((d, variance, math.sqrt(variance)))
    return rows
