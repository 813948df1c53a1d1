"""Fresh inputs for checks: every size differs from every other, so that no axis can be mistaken for another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

LEADING: tuple[tuple[int, ...], ...] = ((), (2,), (3, 2), (2, 4, 3))
DTYPES = (torch.float64, torch.float32)


@dataclass(frozen=True)
class Sizes:
    """Sizes of one attention problem; no two are equal."""

    T_q: int
    T_k: int
    d_k: int
    d_v: int


# Roots of these widths and their inverses are exact in float32, so that `torch.rsqrt(torch.tensor(d_k))` costs no digits.
SIZES = (Sizes(3, 5, 16, 7), Sizes(6, 2, 4, 5), Sizes(5, 7, 16, 3))
# One query, one key, values of width one: where an axis of size one is squeezed away, or a softmax runs over it.
SINGLE = (Sizes(1, 5, 4, 3), Sizes(3, 1, 4, 2), Sizes(3, 5, 4, 1))
# Widths without a whole root, for float32 alone.
ODD_WIDTHS = (Sizes(5, 4, 3, 8), Sizes(2, 6, 12, 5))


def draw(generator: torch.Generator, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Standard normal numbers, drawn in float64 whatever the dtype, so that both dtypes see the same numbers."""
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def draw_attention_inputs(
    generator: torch.Generator, sizes: Sizes, leading: Sequence[int] = (), dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor]:
    """Q (*leading, T_q, d_k), K (*leading, T_k, d_k), V (*leading, T_k, d_v)."""
    Q = draw(generator, *leading, sizes.T_q, sizes.d_k, dtype=dtype)
    K = draw(generator, *leading, sizes.T_k, sizes.d_k, dtype=dtype)
    V = draw(generator, *leading, sizes.T_k, sizes.d_v, dtype=dtype)
    return Q, K, V


def non_contiguous(tensor: Tensor) -> Tensor:
    """The same values (..., m, n) laid out in memory with the last two axes exchanged."""
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def examples(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """The examples of a batch (B, ...), one by one."""
    return zip(*tensors, strict=True)


def with_axes(leading: tuple[int, ...]) -> str:
    """How a message names a batch."""
    return f" with leading axes {leading}" if leading else " without leading axes"
