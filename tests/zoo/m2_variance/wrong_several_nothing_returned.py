"""Everything is printed and nothing returned.
points: dot_products 0, variance_table 0, score_variance 0, score_divisor 0, score_audit 0
Class: printed, not returned.
"""

import math

import torch


def dot_products(n, d_k, generator):
    print((torch.randn(n, d_k, generator=generator) * torch.randn(n, d_k, generator=generator)).sum(1))


def variance_table(widths, n, generator):
    for d in widths:
        print(d, d, d**0.5)


def score_variance(d_k, var_q=1.0, var_k=1.0):
    print(d_k * var_q * var_k)


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    print((d_k * var_q * var_k) ** 0.5)


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    print(torch.zeros(len(widths), 4))
