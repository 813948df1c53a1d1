"""The global generator is used.
points: variance_table 2
Class: variance, the generator ignored. Fails variance_table_rows.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d in widths:
        variance = (torch.randn(n, d) * torch.randn(n, d)).sum(1).var().item()
        rows.append((d, variance, math.sqrt(variance)))
    return rows
