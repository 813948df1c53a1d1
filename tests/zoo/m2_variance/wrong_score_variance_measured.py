"""Measured in place of computed.
points: score_variance 0
Class: a sample for the exact value. Fails score_variance_plain, score_variance_general.
"""

import torch


def score_variance(d_k, var_q=1.0, var_k=1.0):
    return float((var_q * var_k) ** 0.5 * (torch.randn(1000, d_k) * torch.randn(1000, d_k)).sum(1).var())


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return (d_k * var_q * var_k) ** 0.5
