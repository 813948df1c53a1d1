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
Batch = tuple[Tensor, Tensor, Tensor, Tensor]


def draw_batch(generator: torch.Generator, B: int, sizes: Sizes, dtype: torch.dtype = torch.float64) -> Batch:
    """queries (B, m, d_k), keys (B, n, d_k), values (B, n, d_v), key_is_valid (B, n)."""
    return *draw_attention_inputs(generator, sizes, (B,), dtype), draw_valid(generator, B, sizes.T_k)


def draw_mixed_batch(generator: torch.Generator, B: int, sizes: Sizes, dtype: torch.dtype = torch.float64) -> Batch:
    """The same, with two real keys in every example and every key real in some example, where there is room for that.

    So that a guard which is too strict, or runs over the wrong axis, is met where guards are judged, and by no chance elsewhere.
    """
    inputs, valid = draw_attention_inputs(generator, sizes, (B,), dtype), draw_valid(generator, B, sizes.T_k, fewest=2)
    while B > 1 and not bool(valid.any(dim=0).all()):
        valid = draw_valid(generator, B, sizes.T_k, fewest=2)
    return *inputs, valid


def draw_valid(generator: torch.Generator, B: int, n: int, fewest: int = 1) -> Tensor:
    """Bool (B, n): n - 1, n - 2, ... real keys, down to `fewest` and from the top again; the only one where n is 1."""
    counts = n - 1 - torch.arange(B) % max(n - fewest, 1)
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


def large_batches(generator: torch.Generator) -> list[Batch]:
    """Scores near 1e4 in three ways: all near -1e4, around an offset that differs by query, and far apart with large values.

    Padded keys never score far above the best real one, so that "softmax, zero, renormalise" has something left to divide by.
    """
    Q, K, V, valid = draw_mixed_batch(generator, 3, SIZES[2])
    sunk = (*lower(Q, K, -1e4), V, valid)
    Q, K, V, valid = draw_mixed_batch(generator, 3, SIZES[2])
    offset = (*lower(Q, K, torch.tensor([1e4, -1e4, 7e3, -20.0, 3e2], dtype=torch.float64)), V, valid)
    Q, K, V, valid = draw_mixed_batch(generator, 3, SIZES[2])
    mean = (K * valid[:, :, None]).sum(dim=1, keepdim=True) / valid.sum(dim=1)[:, None, None]
    K = torch.where(valid[:, :, None], K, mean)
    largest = float((Q @ K.mT).abs().max()) / SIZES[2].d_k ** 0.5
    return [sunk, offset, (Q * (1e4 / largest), K, V * 1e6, valid)]


def orthogonal_batch(generator: torch.Generator) -> Batch:
    """Keys at a right angle to a query: a score of zero is a score, no sign of padding."""
    Q = torch.tensor([[1.0, 0, 0, 0], [0, 2, 0, 0]], dtype=torch.float64).repeat(2, 1, 1)
    K = torch.tensor([[0.0, 1, 3, 0], [1, 0, 0, 2], [1, 3, 0, 0]], dtype=torch.float64).repeat(2, 1, 1)
    return Q, K, draw(generator, 2, 3, 5), torch.tensor([[True, True, False], [True, False, True]])
