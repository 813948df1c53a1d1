"""The row is rounded to three digits, as the table is printed.
points: saturation_row 1
Class: digits lost. Fails saturation_row_stds, saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    numbers = raw.std(), scaled.std(), entropy(raw), entropy(scaled)
    return SaturationRow(*[round(number.item(), 3) for number in numbers])
