"""The standard deviations are what theory expects.
points: saturation_row 2
Class: theory returned. Fails saturation_row_stds.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(math.sqrt(d_k), 1.0, entropy(raw).item(), entropy(scaled).item())
