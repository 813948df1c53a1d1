"""The scale as torch.rsqrt of a float32 tensor.
points: all
"""

import torch


def saturation_row(d_k, generator, n_keys=5):
    query = torch.randn(1, d_k, generator=generator)
    keys = torch.randn(n_keys, d_k, generator=generator)
    raw = (query @ keys.T).squeeze(0)
    scaled = raw * torch.rsqrt(torch.tensor(d_k))
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
