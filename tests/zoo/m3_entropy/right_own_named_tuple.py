"""A named tuple of one's own with its fields in another order, and draws by normal_ and torch.normal.
points: all
"""

import math
from collections import namedtuple

import torch

Row = namedtuple("Row", "entropy_raw entropy_scaled raw_std scaled_std")


def saturation_row(d_k, generator, n_keys=5):
    q = torch.empty(1, d_k).normal_(generator=generator)
    k = torch.normal(0.0, 1.0, (n_keys, d_k), generator=generator)
    raw = torch.nn.functional.linear(q, k)[0]
    scaled = raw * d_k**-0.5
    deviation = lambda x: math.sqrt(float(torch.var(x)))
    return Row(
        raw_std=deviation(raw), scaled_std=deviation(scaled), entropy_raw=float(entropy(raw)), entropy_scaled=float(entropy(scaled))
    )
