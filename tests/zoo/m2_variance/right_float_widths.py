"""The widths come back as floats, as the rows' other numbers.
points: all
"""

import torch


def variance_table(widths, n, generator):
    rows = []
    for d_k in widths:
        x = dot_products(n, d_k, generator).double()
        rows.append((float(d_k), float(x.var()), float(x.std())))
    return rows
