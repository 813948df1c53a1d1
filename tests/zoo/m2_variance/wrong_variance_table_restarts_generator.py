"""The generator starts again for every width.
points: variance_table 1
Class: variance, one generator reused. Fails variance_table_rows, variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = dot_products(n, d_k, torch.Generator().manual_seed(generator.initial_seed()))
        rows.append((d_k, dots.var().item(), dots.std().item()))
    return rows
