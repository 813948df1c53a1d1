"""Errors are paid for once: what is built on a student's own `attention` is right if it equals the right composition of it."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import attention as reference
from grading.expectations import TOLERANCE, close, expect, expect_close, expect_pair
from grading.student import Gradients, Student, StudentFault

PAIR = ("the output", "the weights")


def expect_projected(student: Student, name: str, inputs: tuple[Tensor, ...], where: str) -> tuple[Tensor, Tensor] | None:
    """Output and weights that equal the reference's; None where they equal those of the student's own `attention`."""
    output, weights = expect_pair(getattr(student, name)(*inputs), PAIR)
    X_q, X_k = (inputs[0], inputs[0]) if name == "self_attention" else inputs[:2]
    W_Q, W_K, W_V = inputs[-3:]
    expected = tuple(t.to(X_q.dtype) for t in reference.cross_attention(X_q, X_k, W_Q, W_K, W_V))
    if not pair_close((output, weights), expected):
        own = own_composition(student, X_q @ W_Q, X_k @ W_K, X_k @ W_V)
        if own is not None and pair_close((output, weights), own):
            return None
    return expect_close(output, expected[0], f"the output{where}"), expect_close(weights, expected[1], f"the weights{where}")


def pair_close(found: tuple[Any, Any], expected: tuple[Any, ...]) -> bool:
    """Whether output and weights both agree, at the tolerance of the expected dtype."""
    pairs = zip(found, expected, strict=True)
    return all(isinstance(f, Tensor) and f.dtype.is_floating_point and close(f, e, TOLERANCE.get(e.dtype, 0.0)) for f, e in pairs)


def own_composition(student: Student, Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor] | None:
    """What the student's `attention` makes of right projections; None where it ignores Q, K or V, or gives no pair of tensors.

    A mistake in `attention` has been paid for there; a function that only pretends to attend has not.
    """
    try:
        output, weights = student.attention(Q, K, V, K.shape[-1])
        other = [student.attention(*changed, K.shape[-1])[0] for changed in ((-2 * Q, K, V), (Q, -2 * K, V), (Q, K, -2 * V))]
    except (StudentFault, TypeError, ValueError):
        return None
    tensors = all(isinstance(t, Tensor) and t.dtype.is_floating_point for t in (output, weights, *other))
    if not tensors or any(close(changed, output, 1e-3) for changed in other):
        return None
    return output, weights


def expect_reaching_gradients(student: Student, name: str, inputs: tuple[Tensor, ...]) -> None:
    """A finite gradient that is not zero for every argument, save where the student's own `attention` lets none through."""
    shape = (*inputs[0].shape[:-1], inputs[-1].shape[-1])
    reached = reached_arguments(student, name, inputs, shape)
    if all(reached):
        return
    Q, K, V = inputs[0] @ inputs[-3], inputs[-4] @ inputs[-2], inputs[-4] @ inputs[-1]
    try:
        through_Q, through_K, through_V = reached_arguments(student, "attention", (Q, K, V, K.shape[-1]), shape)
    except StudentFault:
        through_Q = through_K = through_V = True
    weights_passed = (through_Q, through_K, through_V)
    sequences_passed = (any(weights_passed),) if name == "self_attention" else (through_Q, through_K or through_V)
    for i, (here, passed) in enumerate(zip(reached, (*sequences_passed, *weights_passed), strict=True)):
        blocked = f"no gradient reaches argument {i + 1} of `{name}`"
        expect(here or not passed, blocked, "a gradient for every argument", "is there a detach() or torch.no_grad() on the way?")


def reached_arguments(student: Student, name: str, inputs: tuple[Any, ...], shape: tuple[int, ...]) -> list[bool]:
    """For each tensor among the inputs, whether a useful gradient of the output (of this shape) arrives."""
    given = [t.clone().requires_grad_(True) if isinstance(t, Tensor) else t for t in inputs]
    wrt = [str(i) for i, t in enumerate(given) if isinstance(t, Tensor)]
    cotangent = torch.linspace(-1, 1, math.prod(shape), dtype=torch.float64).reshape(shape)
    found = student.ask(name, *given, gradients=Gradients([((0,), cotangent)], wrt)).gradients
    return [isinstance(g, Tensor) and bool(g.isfinite().all()) and bool((g != 0).any()) for g in found]
