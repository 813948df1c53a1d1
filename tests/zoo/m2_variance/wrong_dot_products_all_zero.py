"""Zeros: nothing is drawn.
points: dot_products 0, variance_table 0
Class: nothing drawn. The table of zeros is no composition of a sampler that depends on its arguments.
"""

import math

import torch


def dot_products(n, d_k, generator):
    return torch.zeros(n)
