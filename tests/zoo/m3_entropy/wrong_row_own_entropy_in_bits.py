"""A right `entropy`, and another one in bits inside the row.
points: saturation_row 2
Class: base 2, not by a helper. Fails saturation_row_entropy_raw and saturation_row_entropy_scaled.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)

    bits = lambda x: -(x.softmax(-1) * x.log_softmax(-1)).sum().item() / math.log(2)
    return SaturationRow(raw.std().item(), scaled.std().item(), bits(raw), bits(scaled))
