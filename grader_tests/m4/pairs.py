"""The context and the weights of `masked_attention`: asked for, and held against the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from torch import Tensor

from grader_tests.m4.batches import Batch
from grader_tests.references import masking as reference
from grader_tests.vocabulary.compositions import same_value
from grader_tests.vocabulary.shares import expect_weights
from grading.checks import CheckFailed
from grading.expectations import TOLERANCE, expect, expect_close, expect_pair
from grading.student import Student

PAIR = ("the context", "the weights")


def ask_masked(student: Student, batch: Batch) -> tuple[Any, Any]:
    """The student's context and weights."""
    return in_order(student.masked_attention(*batch), batch)


def in_order(value: Any, batch: Batch) -> tuple[Any, Any]:
    """Two things, which are not the weights and the context instead of the context and the weights."""
    pair = expect_pair(value, PAIR)
    shapes = tuple(tuple(part.shape) if isinstance(part, Tensor) else None for part in pair)
    B, m, _ = batch[0].shape
    right = ((B, m, batch[2].shape[2]), (B, m, batch[1].shape[1]))
    expect(shapes == right or shapes != right[::-1], "the weights, then the context", "the context, then the weights")
    return pair


def rounded_roots(Q: Tensor, K: Tensor, V: Tensor, key_is_valid: Tensor) -> Mapping[str, Tensor]:
    """The mistakes of a narrow batch, once wider ones with a whole root are right."""
    return reference.rounded_roots(Q, K, key_is_valid[:, None, :])


def expect_masked(
    student: Student,
    batch: Batch,
    what: str = "",
    tolerance: float | None = None,
    mistaken: Callable[..., Mapping[str, Tensor]] = reference.mistaken_masked_attention,
) -> None:
    """Context and weights agree with the reference; weights are judged first, for they tell the mistake."""
    context, weights = ask_masked(student, batch)
    dtype = batch[0].dtype
    expected = [t.to(dtype) for t in reference.masked_attention(*batch)]
    expect_weights(weights, expected[1], f"the weights{what}", partial(mistaken, *batch), tolerance)
    expect_close(context, expected[0], f"the context{what}", tolerance=tolerance)


def expect_masked_or_guarded(student: Student, batch: Batch, what: str = "", **more: Any) -> None:
    """The same, but for the digits that a guard in the divisor of "softmax, zero, renormalise" takes off.

    Where padded keys score far above the real ones it takes off everything, and there it is paid for: among the extremes.
    """
    try:
        expect_masked(student, batch, what, **more)
    except CheckFailed:
        guarded = tuple(t.to(batch[0].dtype) for t in reference.guarded_masked_attention(*batch))
        if not same_value(ask_masked(student, batch), guarded, TOLERANCE[batch[0].dtype]):
            raise
