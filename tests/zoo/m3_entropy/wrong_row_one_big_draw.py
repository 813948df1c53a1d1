"""Query and keys come from one draw, which is another stream of numbers at most widths.
points: saturation_row 1
Class: order of draws. Fails saturation_row_stds, saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    vectors = torch.randn(1 + n_keys, d_k, generator=generator)
    raw = vectors[1:] @ vectors[0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
