"""The global generator is seeded from the one that is handed in.
points: saturation_row 2
Class: global generator. Fails saturation_row_generator.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    torch.manual_seed(generator.initial_seed())
    q = torch.randn(1, d_k)
    k = torch.randn(n_keys, d_k)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
