"""numpy.var without ddof.
points: variance_table 2
Class: variance, population variance by numpy. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    rows = []
    for d in widths:
        x = dot_products(n, d, generator).numpy()
        rows.append((d, float(x.var()), float(x.std())))
    return rows
