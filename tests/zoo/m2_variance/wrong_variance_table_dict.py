"""A dict by width: equal widths fall together.
points: variance_table 0
Class: another container. Fails variance_table_rows, variance_table_estimates, variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    return {d: (d, (v := dot_products(n, d, generator).var().item()), v**0.5) for d in widths}
