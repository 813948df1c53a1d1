"""Draws of its own, uniform.
points: variance_table 2
Class: variance, another law. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d in widths:
        q, k = (math.sqrt(12) * (torch.rand(n, d, generator=generator) - 0.5) for _ in range(2))
        variance = (q * k).sum(1).var().item()
        rows.append((d, variance, math.sqrt(variance)))
    return rows
