"""Fresh inputs of the masked functions: padding may lie anywhere, every example has a real key."""

from __future__ import annotations

import torch
from torch import Tensor

from grader_tests.vocabulary.inputs import ODD_WIDTHS, SIZES, Sizes, draw, draw_attention_inputs

# Examples and sizes: first all different, then as many examples as queries, as many queries as keys, as many examples as keys.
CASES = ((4, SIZES[0]), (2, SIZES[2]), (3, Sizes(3, 5, 4, 7)), (2, Sizes(5, 5, 4, 3)), (5, Sizes(3, 5, 16, 4)))
# Widths without a whole root, for float32 alone.
NARROW_CASES = tuple((3, sizes) for sizes in ODD_WIDTHS)

# Scores of about -8 are ordinary, and a fill of -20 leaks some 1e-5 there: far above any tolerance, so that it is always found.
LOW = -8.0


def draw_batch(
    generator: torch.Generator, B: int, sizes: Sizes, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """queries (B, m, d_k), keys (B, n, d_k), values (B, n, d_v), key_is_valid (B, n)."""
    return *draw_attention_inputs(generator, sizes, (B,), dtype), draw_valid(generator, B, sizes.T_k)


def draw_valid(generator: torch.Generator, B: int, n: int) -> Tensor:
    """Bool (B, n): n - 1, n - 2, ... real keys, down to one and from the top again; the only one where n is 1."""
    counts = n - 1 - torch.arange(B) % max(n - 1, 1)
    places = torch.stack([torch.randperm(n, generator=generator) for _ in range(B)])
    return places < counts.clamp(min=1)[:, None]


def lower(Q: Tensor, K: Tensor, by: Tensor | float) -> tuple[Tensor, Tensor]:
    """(..., m, d), (..., n, d) whose last coordinate is an offset: it adds `by`, a number or (m,), to a query's scaled scores."""
    Q, K = Q.clone(), K.clone()
    Q[..., -1] = by * K.shape[-1] ** 0.5
    K[..., -1] = 1.0
    return Q, K


def shift_keys(Q: Tensor, K: Tensor, by: Tensor) -> tuple[Tensor, Tensor]:
    """(..., m, d), (..., n, d) whose last coordinate is an offset: it adds `by`, (n,) or (..., n), to a key's scaled scores."""
    Q, K = Q.clone(), K.clone()
    Q[..., -1] = K.shape[-1] ** 0.5
    K[..., -1] = by
    return Q, K


def draw_targets(generator: torch.Generator, lengths: Tensor, T: int, classes: int, pad_id: int) -> Tensor:
    """(B,) -> int64 (B, T): any class but `pad_id`, then `pad_id` to the end of each row."""
    drawn = torch.randint(classes - 1, (len(lengths), T), generator=generator)
    real = drawn + (drawn >= pad_id)
    return torch.where(torch.arange(T) < lengths[:, None], real, pad_id)


def draw_logits(generator: torch.Generator, B: int, T: int, classes: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """(B, T, classes), standard normal."""
    return draw(generator, B, T, classes, dtype=dtype)
