"""Draws by torch, arithmetic by numpy where no gradient is asked for; ddof 1 by hand.
points: all
"""

import numpy as np
import torch


def np_entropy(x):
    x = x.astype(np.float64)
    z = x - x.max(axis=-1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)
    return -np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0), axis=-1)


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator).numpy()
    k = torch.randn(n_keys, d_k, generator=generator).numpy()
    raw = (q @ k.T).ravel()
    scaled = raw / np.sqrt(d_k)
    return SaturationRow(np.std(raw, ddof=1), np.std(scaled, ddof=1), np_entropy(raw), np_entropy(scaled))


def softmax_jacobian(logits):
    x = logits.detach().numpy()
    p = np.exp(x - x.max())
    p = p / p.sum()
    return torch.from_numpy(np.diag(p) - np.outer(p, p))


def gradient_norm(logits):
    p = torch.softmax(logits, -1).detach().numpy()
    J = p[..., None] * np.eye(p.shape[-1], dtype=p.dtype) - p[..., :, None] * p[..., None, :]
    return torch.as_tensor(np.linalg.norm(J, axis=(-2, -1)))


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    found = []
    for d in widths:
        q = torch.randn(n_queries, d, generator=generator).numpy()
        k = torch.randn(n_queries, n_keys, d, generator=generator).numpy()
        if np_entropy(np.einsum("qd,qkd->qk", q, k)).mean() < threshold:
            found.append(d)
    return np.min(found) if found else None
