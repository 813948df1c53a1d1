"""The root of the width loses its fraction: right at the published widths.
points: saturation_row 1.5
Class: scale. Fails saturation_row_stds and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.isqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
