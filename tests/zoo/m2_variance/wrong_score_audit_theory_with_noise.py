"""Theory with noise that is drawn.
points: score_audit 0.5
Class: theory dressed up. Fails score_audit_raw_variance, score_audit_raw_weights, score_audit_scaled_weights, score_audit_general.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    noise = 1 + 0.02 * torch.randn(len(widths), generator=generator)
    raw = torch.tensor([d * var_q * var_k for d in widths]) * noise
    scaled = raw / torch.tensor([score_divisor(d, var_q, var_k) ** 2 for d in widths])
    return torch.stack([raw, scaled, 0.8 * noise.clamp(max=1.2), 0.245 * noise], dim=1)
