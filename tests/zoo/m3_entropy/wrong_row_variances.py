"""Variances for standard deviations.
points: saturation_row 2
Class: variance. Fails saturation_row_stds.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(raw.var().item(), scaled.var().item(), entropy(raw).item(), entropy(scaled).item())
