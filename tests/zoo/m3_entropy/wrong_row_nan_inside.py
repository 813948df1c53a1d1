"""A right `entropy`, and the book's formula inside the row: NaN where a weight underflows.
points: saturation_row 2.5
Class: 0 log 0 = NaN, not by a helper. Fails saturation_row_entropy_raw.
"""

import math

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T)[0]
    scaled = raw / math.sqrt(d_k)

    book = lambda x: -(x.softmax(-1) * x.softmax(-1).log()).sum().item()
    return SaturationRow(raw.std().item(), scaled.std().item(), book(raw), book(scaled))
