"""Standard deviation before variance.
points: variance_table 0
Class: two columns swapped. Fails variance_table_rows, variance_table_estimates, variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = dot_products(n, d_k, generator)
        rows.append((d_k, dots.std().item(), dots.var().item()))
    return rows
