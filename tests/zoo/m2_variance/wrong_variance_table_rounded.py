"""Variance and standard deviation are rounded to two digits.
points: variance_table 1
Class: rounded. Fails variance_table_rows, variance_table_unbiased.
"""


def variance_table(widths, n, generator):
    samples = [dot_products(n, d, generator).double() for d in widths]
    return [(d, round(x.var().item(), 2), round(x.std().item(), 2)) for d, x in zip(widths, samples)]
