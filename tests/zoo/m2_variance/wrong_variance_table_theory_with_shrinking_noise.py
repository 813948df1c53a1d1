"""Theory with noise of the right size for large n.
points: variance_table 2
Class: variance, theory dressed up. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    noise = torch.randn(len(widths), generator=generator).tolist()
    variances = [d * abs(1 + math.sqrt((2 + 6 / d) / n) * z) for d, z in zip(widths, noise)]
    return [(d, v, v**0.5) for d, v in zip(widths, variances)]
