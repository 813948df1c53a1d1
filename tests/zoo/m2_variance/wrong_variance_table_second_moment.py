"""Mean of squares over n - 1, the mean not taken off.
points: variance_table 2
Class: variance, the mean not taken off. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = dot_products(n, d_k, generator)
        rows.append((d_k, float(dots.square().sum() / (n - 1)), float(dots.square().sum() / (n - 1)) ** 0.5))
    return rows
