"""Weights of an attention under a mask, at any positive scale: shares of the allowed keys in the order of the dot products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from grading.expectations import TOLERANCE, close, expect, expect_close, expect_tensor

# The structure alone is judged, so digits lost on the way are left to the checks of values.
STRUCTURE = 1e-5
NAN_HINT = (
    "NaN comes from a row that holds nothing but minus infinity, or from 0 times infinity: "
    "mask keys, not queries, by masked_fill or torch.where, and let the softmax run over the keys"
)

LOW_ENOUGH = "is the fill low enough for any score? minus infinity always is"
ALONG_THE_KEYS = "does the mask lie along the keys of the right example, with a fill far below every score?"
# What a fill leaks that is low, but not low enough, is small where scores are ordinary.
SMALL_LEAK = 1e-2
# Padded keys this far above all real ones leave these exp(-25) = 1e-11 of a softmax: no digits of that are lost, but a constant
# that is added to it shows.
AHEAD = 25.0
GUARDED = "a constant in the divisor of the weights? Where padded keys score far higher, the real ones' sum is smaller than it"


def whole(weights: Any) -> Any:
    """Weights (..., n) whose rows a small constant in a divisor has kept just below one, without it; others as they are.

    The constant is judged where it matters, not once more in every value.
    """
    if not isinstance(weights, Tensor) or not weights.dtype.is_floating_point or weights.ndim == 0:
        return weights
    sums = weights.detach().sum(dim=-1, keepdim=True)
    guarded = (sums < 1) & (sums > 1 - STRUCTURE)
    return torch.where(guarded, weights / sums, weights)


def expect_excluded(weights: Tensor, allowed: Tensor, whose: str, hint: str = "") -> None:
    """(..., m, n), bool that broadcasts to it: exactly 0.0 where a key is not allowed."""
    leaked = weights.detach().masked_fill(allowed.expand_as(weights), 0.0)
    expect(bool(leaked.isfinite().all()), f"{whose} weigh NaN", "exactly 0.0 there", NAN_HINT)
    largest = float(leaked.abs().max())
    hint = hint or (LOW_ENOUGH if largest < SMALL_LEAK else ALONG_THE_KEYS)
    expect(largest == 0, f"{whose} have weights up to {largest:.1g}", "exactly 0.0 there", hint)


def expect_no_weight(weights: Tensor, allowed: Tensor, whose: str) -> None:
    """(..., m, n), bool that broadcasts to it: 0.0 or NaN where a key is not allowed, though it scores 2e4 above those that are.

    NaN is what "softmax, zero, renormalise", right for other scores, comes to here: all that it keeps has underflowed.
    """
    expect_excluded(weights.detach().nan_to_num(nan=0.0), allowed, f"{whose} that score far above all others", LOW_ENOUGH)


def expect_following(weights: Tensor, dots: Tensor, allowed: Tensor) -> None:
    """(..., m, n), (..., m, n), bool: among allowed keys a larger dot product earns a larger weight, and none earns nothing.

    For float64. Dot products of up to 4e4 are known to some 1e-11, so that of a row's largest and smallest share one in 1e11
    may seem equal, and 1e-10 of all calls here fail a right answer at most; within a row STRUCTURE is allowed.
    """
    read = weights.detach()[allowed.expand_as(weights)]
    expect(bool(read.isfinite().all()), "NaN among the weights of keys that may be read", "finite numbers", NAN_HINT)
    flat = (t.reshape(-1, dots.shape[-1]) for t in (weights, dots, allowed.expand_as(dots)))
    for row, dot, keep in zip(*flat, strict=True):
        shares = row[keep][dot[keep].argsort()]
        expect(bool((shares > 0).all()), "a key that may be read got no weight", "a share for every key that may be read")
        rising = bool((shares.diff() >= -STRUCTURE).all()) and (len(shares) < 2 or bool(shares[-1] > shares[0]))
        expect(rising, "a key with a larger dot product got a smaller weight", "weights in the order of the dot products")


def expect_row_sums(weights: Tensor, hint: str, tolerance: float = STRUCTURE) -> None:
    """(..., m, n): every row sums to one."""
    sums = weights.double().sum(dim=-1)
    expect_close(sums, torch.ones_like(sums), "the row sums of the weights", hint=hint, tolerance=tolerance)


def expect_weights(
    found: Any, expected: Tensor, what: str, mistakes: Callable[[], Mapping[str, Tensor]], tolerance: float | None = None
) -> Tensor:
    """Weights (..., m, n) that agree; a known mistake is told by the entries that it has a value for.

    `mistakes` is called where they do not: a dozen mistaken weights cost more than the right ones.
    """
    weights = expect_tensor(found, tuple(expected.shape), what)
    limit = TOLERANCE[expected.dtype] if tolerance is None else tolerance
    if close(weights, expected, limit):
        return weights
    known = next((name for name, wrong in mistakes().items() if close_where_real(weights, wrong, limit)), "")
    hint = known or ("" if bool(weights.isfinite().all()) else NAN_HINT)
    return expect_close(weights, expected, what, hint=hint, tolerance=limit)


def close_where_real(found: Tensor, wrong: Tensor, tolerance: float) -> bool:
    """(..., m, n) twice: agreement where the second is no NaN, which is somewhere."""
    real = wrong.isfinite()
    return bool(real.any()) and close(found[real], wrong[real], tolerance)
