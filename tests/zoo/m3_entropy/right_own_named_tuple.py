"""A named tuple of one's own with other names, and draws by normal_ and torch.normal.
points: all
"""

import math
from collections import namedtuple

import torch

Row = namedtuple("Row", "spread spread_scaled H H_scaled")


def saturation_row(d_k, generator, n_keys=5):
    q = torch.empty(1, d_k).normal_(generator=generator)
    k = torch.normal(0.0, 1.0, (n_keys, d_k), generator=generator)
    raw = torch.nn.functional.linear(q, k)[0]
    scaled = raw * d_k**-0.5
    deviation = lambda x: math.sqrt(float(torch.var(x)))
    return Row(H=float(entropy(raw)), H_scaled=float(entropy(scaled)), spread=deviation(raw), spread_scaled=deviation(scaled))
