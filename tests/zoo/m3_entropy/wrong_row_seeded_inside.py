"""The generator is seeded with 0 inside, as in the published table: only those rows are right.
points: saturation_row 0
Class: generator reseeded. Fails saturation_row_generator, saturation_row_stds, saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    generator.manual_seed(0)
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
