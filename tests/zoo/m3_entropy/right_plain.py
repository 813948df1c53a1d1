"""As one would write it down, with a floor under the weights.
points: all
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log(p.clamp(min=1e-12))).sum(dim=-1)


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    raw = (q @ k.T).squeeze(0)
    scaled = raw / d_k**0.5
    return SaturationRow(raw.std().item(), scaled.std().item(), entropy(raw).item(), entropy(scaled).item())


def softmax_jacobian(logits):
    p = logits.softmax(0)
    return p.diag() - p[:, None] * p[None, :]


def gradient_norm(logits):
    p = logits.softmax(-1)
    jacobian = torch.diag_embed(p) - p[..., :, None] * p[..., None, :]
    return jacobian.pow(2).sum((-1, -2)).sqrt()


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    best = None
    for d in widths:
        queries = torch.randn(n_queries, d, generator=generator)
        keys = torch.randn(n_queries, n_keys, d, generator=generator)
        scores = (keys @ queries.unsqueeze(-1)).squeeze(-1)
        if entropy(scores).mean() < threshold and (best is None or d < best):
            best = d
    return best
