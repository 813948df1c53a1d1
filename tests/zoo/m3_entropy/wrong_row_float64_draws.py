"""The draws are float64, which are other numbers.
points: saturation_row 1
Class: dtype of draws. Fails saturation_row_stds, saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator, dtype=torch.float64)
    k = torch.randn(n_keys, d_k, generator=generator, dtype=torch.float64)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
