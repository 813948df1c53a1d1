"""The scaled column has draws of its own.
points: saturation_row 1.5
Class: draws not shared. Fails saturation_row_stds and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    again = (torch.randn(1, d_k, generator=generator) @ torch.randn(n_keys, d_k, generator=generator).T)[0]
    scaled = again / math.sqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
