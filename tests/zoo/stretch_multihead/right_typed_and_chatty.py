"""Type hints, prints, warnings, a named tuple, and a mask that is given by name alone.
points: all
"""

import sys
import warnings
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Attended(NamedTuple):
    """What comes back."""

    output: Tensor
    weights: Tensor


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """(B, T, d_model) -> (B, n_heads, T, d_head)."""
    print("split", x.shape, file=sys.stderr)
    return x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads).permute(0, 2, 1, 3).contiguous()


def merge_heads(x: Tensor) -> Tensor:
    """The way back."""
    print("merge", x.shape)
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


class MultiHeadAttention(nn.Module):
    """Attention in several heads."""

    W_Q: nn.Linear
    W_K: nn.Linear
    W_V: nn.Linear
    W_O: nn.Linear

    def __init__(self, d_model: int, n_heads: int, verbose: bool = True) -> None:
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by n_heads={n_heads}")
        self.n_heads, self.verbose = n_heads, verbose
        self.W_Q = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_K = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_V = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_O = nn.Linear(in_features=d_model, out_features=d_model, bias=False)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, *, key_is_valid: Optional[Tensor] = None
    ) -> Attended:
        """Split, attend, merge, project."""
        if self.verbose:
            warnings.warn("attention is quadratic in the number of tokens", stacklevel=2)
        Q: Tensor = split_heads(self.W_Q(queries), self.n_heads)
        K: Tensor = split_heads(self.W_K(keys), self.n_heads)
        V: Tensor = split_heads(self.W_V(values), self.n_heads)
        scores: Tensor = torch.matmul(Q, K.transpose(2, 3)).mul(K.shape[3] ** -0.5)
        blocked: Tensor = torch.zeros(K.shape[0], K.shape[2], dtype=torch.bool) if key_is_valid is None else ~key_is_valid
        weights: Tensor = torch.softmax(scores.masked_fill(blocked[:, None, None], -float("inf")), dim=3)
        return Attended(output=self.W_O(merge_heads(torch.matmul(weights, V))), weights=weights)
