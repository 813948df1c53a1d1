"""As many queries as keys, and the mean of their entropies.
points: saturation_row 1
Class: several queries. Fails saturation_row_stds, saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(n_keys, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = q @ k.T
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).mean().item(), entropy(scaled).mean().item())
