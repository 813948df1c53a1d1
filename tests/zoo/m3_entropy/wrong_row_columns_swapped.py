"""Raw and scaled have changed places.
points: saturation_row 1
Class: order. Fails saturation_row_stds, saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(scaled.std().item(), raw.std().item(), entropy(scaled).item(), entropy(raw).item())
