"""Type hints and docstrings, with prints on both streams and a warning at every call.
points: all
"""

import math
import sys
import warnings

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """True where a position is real."""
    print("lengths", lengths, file=sys.stderr)
    if any(int(length) < 1 or int(length) > max_len for length in lengths):
        raise ValueError(f"lengths must lie in [1, {max_len}], got {lengths.tolist()}")
    return torch.arange(max_len).expand(len(lengths), max_len).lt(lengths.unsqueeze(1))


def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor) -> tuple[Tensor, Tensor]:
    """Attention over real keys."""
    print("queries", queries.shape, "keys", keys.shape, "values", values.shape)
    warnings.warn("attention is quadratic in the number of tokens", stacklevel=2)
    for name, tensor in {"Q": queries, "K": keys, "V": values}.items():
        if tensor.ndim != 3:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; three axes are needed")
    if queries.shape[2] != keys.shape[2]:
        raise ValueError(f"width of Q {tuple(queries.shape)} is not that of K {tuple(keys.shape)}")
    if keys.shape[:2] != values.shape[:2]:
        raise ValueError(f"K {tuple(keys.shape)} and V {tuple(values.shape)} do not belong together")
    if tuple(key_is_valid.shape) != tuple(keys.shape[:2]):
        raise ValueError(f"the mask has shape {tuple(key_is_valid.shape)}, the keys {tuple(keys.shape)}")
    if key_is_valid.dtype is not torch.bool:
        raise ValueError(f"the mask is of {key_is_valid.dtype}, not bool")
    empty = [i for i, row in enumerate(key_is_valid) if not row.any()]
    if empty:
        raise ValueError(f"examples without a real key: {empty}")
    blocked: Tensor = ~key_is_valid
    scores: Tensor = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
    weights: Tensor = torch.softmax(scores.masked_fill(blocked.unsqueeze(-2), float("-inf")), dim=-1)
    return weights @ values.masked_fill(blocked.unsqueeze(-1), 0.0), weights


def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """Mean over real positions."""
    warnings.warn("padding is left out", UserWarning, stacklevel=1)
    real: Tensor = targets != pad_id
    print(int(real.sum()), "real positions")
    if int(real.sum()) == 0:
        raise ValueError("No position is real.")
    return torch.nn.functional.cross_entropy(logits[real], targets[real])
