"""Theory with noise of a fixed size.
points: variance_table 2
Class: variance, theory dressed up. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    variances = [d * (1 + 0.02 * torch.randn(1, generator=generator).item()) for d in widths]
    return [(d, v, v**0.5) for d, v in zip(widths, variances)]
