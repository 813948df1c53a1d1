"""Type hints, prints, warnings, named tuples, buffers and a helper module.
points: all
"""

import math
import warnings
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Attended(NamedTuple):
    """What comes back."""

    context: Tensor
    weights: Tensor


class Masked(nn.Module):
    """A softmax over valid keys."""

    def forward(self, scores: Tensor, valid: Tensor) -> Tensor:
        return torch.log_softmax(scores.masked_fill(~valid, torch.finfo(scores.dtype).min), dim=-1).exp()


class ProjectedDotAttention(nn.Module):
    """Attention with two projections."""

    def __init__(self, d_q: int, d_k: int, d_a: int) -> None:
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.long))
        self.softmax = Masked()
        self.W_q: nn.Linear = nn.Linear(d_q, d_a, bias=False)
        self.W_k: nn.Linear = nn.Linear(d_k, d_a, bias=False)
        self.dropout = nn.Dropout(p=0.0)

    def forward(self, query: Tensor, keys: Tensor, key_is_valid: Tensor) -> Attended:
        """Context and weights."""
        print("query", query.shape, "keys", keys.shape)
        warnings.warn("a pair for every key", stacklevel=2)
        q: Tensor = self.W_q(query).unsqueeze(1)
        scores: Tensor = (q @ self.W_k(keys).transpose(1, 2)).squeeze(1).div(math.sqrt(self.W_q.weight.shape[0]))
        weights: Tensor = self.dropout(self.softmax(scores, key_is_valid))
        real: Tensor = torch.where(key_is_valid[:, :, None], keys, keys.new_zeros(()))
        return Attended(context=(weights.unsqueeze(1) @ real).squeeze(1), weights=weights)


def calibrated_attention(
    Q: Tensor, K: Tensor, V: Tensor, key_is_valid: Tensor, var_q: float, var_k: float
) -> Attended:
    """Scores of unit variance."""
    print(f"variances {var_q} and {var_k}")
    std: float = math.sqrt(K.shape[-1]) * math.sqrt(var_q) * math.sqrt(var_k)
    weights: Tensor = Masked()(Q @ K.transpose(-2, -1) / std, key_is_valid.unsqueeze(1))
    return Attended(weights @ V.masked_fill(key_is_valid.logical_not().unsqueeze(-1), 0), weights)
