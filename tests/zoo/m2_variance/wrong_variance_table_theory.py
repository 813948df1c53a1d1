"""d_k and its root, without a draw.
points: variance_table 0
Class: variance, theory returned without drawing. Fails variance_table_rows, variance_table_estimates, variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    return [(d, float(d), d**0.5) for d in widths]
