"""Type hints, prints and warnings; helpers in a cell of its own.
points: all
"""

import math
import warnings

import torch
from torch import Tensor


def weights(logits: Tensor) -> Tensor:
    warnings.warn("softmax ahead")
    return torch.softmax(logits, dim=-1)


def entropy(logits: Tensor) -> Tensor:
    """In nats."""
    p: Tensor = weights(logits)
    print("entropy of", tuple(logits.shape))
    terms: Tensor = torch.where(p > 0, p * torch.where(p > 0, p, torch.ones_like(p)).log(), torch.zeros_like(p))
    return -terms.sum(dim=-1)


def gradient_norm(logits: Tensor) -> Tensor:
    p: Tensor = weights(logits)
    print("norms of", tuple(logits.shape))
    jacobian: Tensor = torch.diag_embed(p) - p[..., None] * p[..., None, :]
    return torch.linalg.matrix_norm(jacobian)


def collapse_width(
    widths: list[int], threshold: float, generator: torch.Generator, n_queries: int = 200, n_keys: int = 5
) -> int | None:
    collapsed: list[int] = []
    for d in widths:
        queries: Tensor = torch.randn(n_queries, 1, d, generator=generator)
        keys: Tensor = torch.randn(n_queries, n_keys, d, generator=generator)
        mean: float = entropy((queries @ keys.mT).squeeze(1)).mean().item()
        print(f"width {d}: {mean:.3f}")
        if math.isfinite(mean) and mean < threshold:
            collapsed.append(d)
    return sorted(collapsed)[0] if collapsed else None
