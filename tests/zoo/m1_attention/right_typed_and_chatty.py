"""Type hints and docstrings, with prints on both streams and a warning at every call.
points: all
"""

import math
import sys
import warnings

import torch
from torch import Tensor


def attention(Q: Tensor, K: Tensor, V: Tensor, d_k: int) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention: softmax(Q K^T / sqrt(d_k)) V, with its weights."""
    print("shapes:", Q.shape, K.shape, V.shape)
    print("d_k is", d_k, file=sys.stderr)
    warnings.warn("attention is quadratic in the number of tokens", stacklevel=2)
    weights: Tensor = torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    return weights @ V, weights


def hard_lookup(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The value of the key with the largest dot product."""
    scores: Tensor = keys @ query
    print("scores:", scores, file=sys.stderr)
    warnings.warn("of equal keys the first is taken", UserWarning, stacklevel=1)
    best: int = int(scores.max(dim=0).indices)
    return values[best]
