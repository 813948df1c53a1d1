"""Rows sorted by width.
points: variance_table 0
Class: order lost. Fails variance_table_rows, variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in sorted(widths):
        dots = dot_products(n, d_k, generator)
        rows.append((d_k, dots.var().item(), dots.std().item()))
    return sorted(rows)
