"""The variance after scaling.
points: variance_table 2
Class: the wrong quantity. Fails variance_table_estimates.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = dot_products(n, d_k, generator) / d_k**0.5
        rows.append((d_k, dots.var().item(), dots.std().item()))
    return rows
