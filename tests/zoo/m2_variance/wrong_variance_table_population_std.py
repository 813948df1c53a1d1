"""Unbiased variance, population standard deviation.
points: variance_table 2
Class: variance, two estimators mixed. Fails variance_table_rows.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        dots = dot_products(n, d_k, generator)
        rows.append((d_k, dots.var().item(), dots.std(correction=0).item()))
    return rows
