"""Masks as answers: tensors of truth values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grading.checks import CheckFailed
from grading.expectations import describe, expect


def as_mask(value: Any) -> Tensor | None:
    """The truth values of a tensor that is bool, or holds nothing but 0 and 1; None for anything else."""
    if not isinstance(value, Tensor) or value.is_complex():
        return None
    numbers = value.detach()
    return numbers.bool() if bool(((numbers == 0) | (numbers == 1)).all()) else None


def expect_mask(
    value: Any,
    expected: Tensor,
    what: str,
    mistakes: Mapping[str, Tensor] | None = None,
    meaning: str = "True for what may be read, and False for all else",
) -> None:
    """Truth values that are the expected ones, whatever their dtype; `mistakes` names wrong ones that are known.

    `meaning` says in words where True should stand.
    """
    shape: Sequence[int] = tuple(expected.shape)
    if not isinstance(value, Tensor) or tuple(value.shape) != shape:
        raise CheckFailed(f"{what} as {describe(value)}", f"a bool tensor of shape {shape}")
    found = as_mask(value)
    if found is None:
        raise CheckFailed(f"{what} holds other numbers than 0 and 1", "True and False", "a mask says which; it holds no scores")
    if not torch.equal(found, expected):
        known = next((name for name, wrong in (mistakes or {}).items() if torch.equal(found, wrong)), "")
        raise CheckFailed(f"{what}: {int((found != expected).sum())} of {found.numel()} entries are wrong", meaning, known)


def expect_bool(value: Any, what: str) -> None:
    """A bool tensor: `~` and masked_fill do with other dtypes something else, or nothing."""
    is_bool = isinstance(value, Tensor) and value.dtype is torch.bool
    expect(is_bool, f"{what} as {describe(value)}", "a tensor of dtype bool", "a comparison gives bool; `.bool()` does too")
