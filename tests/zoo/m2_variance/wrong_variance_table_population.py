"""Divided by n.
points: variance_table 2
Class: variance, population variance. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = dot_products(n, d_k, generator)
        rows.append((d_k, dots.var(correction=0).item(), dots.std(correction=0).item()))
    return rows
