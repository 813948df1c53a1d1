"""Draws of its own, by the shortcut.
points: variance_table 2
Class: variance, another law. Fails variance_table_unbiased.
"""

import math

import torch


def variance_table(widths, n, generator):
    variances = [(torch.randn(n, generator=generator) * d**0.5).var().item() for d in widths]
    return [(d, v, math.sqrt(v)) for d, v in zip(widths, variances)]
