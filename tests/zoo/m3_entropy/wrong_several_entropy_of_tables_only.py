"""An entropy that needs a table of rows, which the row hands it.
points: entropy 0
Class: only looks right with one batch axis. Fails entropy_values and entropy_batched.
"""

import torch


def entropy(logits):
    n_rows, n_keys = logits.shape
    p = torch.softmax(logits, dim=1)
    return -torch.xlogy(p, p).sum(dim=1)


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = q @ k.T
    scaled = raw / d_k**0.5
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())
