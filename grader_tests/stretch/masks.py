"""Checks of `key_is_valid`, on one sequence in all three roles: how other keys are read is asked elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader_tests.references.multihead import Problem
from grader_tests.stretch.modules import (
    CELL,
    SHAPES,
    USES,
    Shape,
    ask_module,
    build,
    draw_cross,
    draw_self,
    has_heads,
    in_order,
    tells_keys_apart,
)
from grader_tests.stretch.own import agrees, is_own, right_outputs, right_weights
from grader_tests.stretch.values import expect_head_weights
from grader_tests.vocabulary.inputs import DTYPES, draw
from grader_tests.vocabulary.shares import LOW_ENOUGH, expect_excluded, expect_row_sums
from grading.checks import CheckFailed, check
from grading.expectations import expect, expect_close, expect_tensor
from grading.student import Student, StudentFault

# The shapes of two tokens and more: as many examples as heads are among them, and as many as tokens.
PADDED = (*(shape for shape in SHAPES if shape.T_q > 1), Shape(3, 4, 4, 12, 3), Shape(4, 4, 4, 8, 2))
CROSSED = (SHAPES[0], SHAPES[3])  # more keys than queries, and fewer


def draw_padded(generator: torch.Generator, shape: Shape, dtype: torch.dtype = torch.float64) -> Problem:
    """One sequence whose examples have 1, 2, ... real tokens anywhere; of several examples one is all real, the first or last.

    A single example's last token is padding, so that the whole batch ends in it.
    """
    problem = draw_self(generator, shape, dtype)
    counts = 1 + torch.arange(shape.B) % (shape.T_q - 1)
    if shape.B > 1:
        counts[0 if shape.T_q % 2 else -1] = shape.T_q
    places = torch.stack([torch.randperm(shape.T_q, generator=generator) for _ in range(shape.B)])
    if shape.B == 1:
        places = torch.cat([torch.randperm(shape.T_q - 1, generator=generator), torch.tensor([shape.T_q - 1])])[None]
    return problem._replace(key_is_valid=places < counts[:, None])


def draw_padded_cross(generator: torch.Generator, shape: Shape, dtype: torch.dtype = torch.float64) -> Problem:
    """Queries, keys and values of their own, some of the keys padded."""
    problem = draw_cross(generator, shape, dtype)
    valid = draw_padded(generator, replace(shape, T_q=shape.T_k)).key_is_valid
    return problem._replace(key_is_valid=valid)


@check(
    "multi_head_mask_values",
    cell=CELL,
    points=1,
    uses=USES,
    about="each head's weights among the keys that are real; the mask is left as it is",
)
def multi_head_mask_values(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights without a mask: real keys share what they had, divided by its sum."""
    for shape in PADDED:
        for dtype in DTYPES:
            problem = draw_padded(generator, shape, dtype)
            build(student, problem, ())
            free = ask_module(student, problem._replace(key_is_valid=None))
            reply = student.ask("module", *problem[2:5], key_is_valid=problem.key_is_valid)
            expect("key_is_valid" not in reply.changed, "the mask was changed in place", "a mask that is left as it is")
            expect_masked(student, problem, free[1], *in_order(reply.value, problem))
    if isinstance(free[1], Tensor) and bool(free[1].isfinite().all()):
        again = ask_module(student, problem._replace(key_is_valid=None))[1]
        what = "the weights without a mask, after a call with one, against those before it,"
        expect_close(again, free[1].detach(), what, hint="a module keeps no mask from call to call")
    everything = problem._replace(key_is_valid=torch.ones(shape.B, shape.T_q, dtype=torch.bool))
    if isinstance(free[1], Tensor):
        same = ask_module(student, everything)[1]
        expect_close(same, free[1].detach(), "the weights where all keys are real, against those without a mask,")
    for shape in CROSSED:
        expect_masked_cross(student, draw_padded_cross(generator, shape))


def expect_masked_cross(student: Student, problem: Problem) -> None:
    """The student's own weights, shared anew; who has none for keys of another number pays for that elsewhere."""
    build(student, problem, ())
    try:
        free = ask_module(student, problem._replace(key_is_valid=None))[1]
    except StudentFault:
        return
    if has_heads(free, problem) and tells_keys_apart(free):
        weights = ask_module(student, problem)[1]
        if not agrees(weights, shared_anew(free, problem)):
            expect_head_weights(student, weights, problem, "the weights under a mask, with another number of keys than queries,")


def expect_masked(student: Student, problem: Problem, free: Any, output: Any, weights: Any) -> None:
    """Weights that are right, or the student's own without a mask, shared anew; an output, where there are none by head."""
    if not has_heads(weights, problem) or not has_heads(free, problem):
        outputs = (right_outputs(student, problem, right) for right in right_weights(student, problem))
        if any(agrees(output, right) for some in outputs for right in some):
            return
    elif tells_keys_apart(free) and agrees(weights, shared_anew(free, problem)):
        return
    expect_head_weights(student, weights, problem, "the weights under a mask")


def shared_anew(weights: Tensor, problem: Problem) -> Tensor:
    """(B, H, T_q, T_k): what real keys have of a row, divided by its sum."""
    assert problem.key_is_valid is not None
    kept = weights * problem.key_is_valid[:, None, None, :]
    return kept / kept.sum(dim=-1, keepdim=True)


@check(
    "multi_head_mask_excludes",
    cell=CELL,
    points=1,
    uses=USES,
    about="padded keys weigh exactly 0.0 however low the scores are, and nothing of them reaches the output",
)
def multi_head_mask_excludes(student: Student, generator: torch.Generator) -> None:
    """Scores around 0, around -8 where a fill of -20 shows, and around -10,000 where one of -1e4 does."""
    for shape in PADDED[:2]:
        for dtype in DTYPES:
            for low in (0.0, -8.0, -1e4):
                problem = draw_padded(generator, shape, dtype)
                problem = lowered(problem, low) if low else problem
                build(student, problem, ())
                expect_shares(problem, *ask_module(student, problem))
    problem = draw_padded(generator, PADDED[0])
    build(student, problem, (), train=True)
    expect_padding_excluded(problem, ask_module(student, problem)[1], "padded keys, in train mode,")
    for shape in PADDED:
        problem = draw_padded(generator, shape)
        build(student, problem, ())
        expect_no_influence(student, problem, generator)


def lowered(problem: Problem, by: float) -> Problem:
    """The last column of every head becomes an offset: each scaled score of every head is `by` lower or higher."""
    layers, n_heads, x, *_ = problem
    d_model = x.shape[-1]
    d_head = d_model // n_heads
    last = torch.arange(1, n_heads + 1) * d_head - 1
    constant = torch.eye(d_model, dtype=x.dtype)[-1]
    W_Q, W_K, x = layers.W_Q.clone(), layers.W_K.clone(), x.clone()
    W_Q[last], W_K[last] = by * d_head**0.5 * constant, constant
    x[..., -1] = 1.0
    return problem._replace(layers=layers._replace(W_Q=W_Q, W_K=W_K), queries=x, keys=x, values=x)


def expect_shares(problem: Problem, output: Any, weights: Any) -> None:
    """Exactly nothing for padded keys and the whole for real ones, in every row; weights averaged over heads are judged too."""
    found = expect_padding_excluded(problem, weights, "padded keys")
    # A float32 near 1e4 is known to 5e-4, and so is the logarithm of what it is the exponent of.
    expect_row_sums(found, "what padded keys would have had goes to the real ones: mask before the softmax", tolerance=2e-3)
    finite = bool(expect_tensor(output, tuple(problem.queries.shape), "the output").isfinite().all())
    expect(finite, "NaN or infinity in the output under a mask", "finite numbers", LOW_ENOUGH)


def expect_padding_excluded(problem: Problem, weights: Any, whose: str) -> Tensor:
    """Weights, by head or averaged over heads, that are exactly 0.0 for padded keys."""
    valid = problem.key_is_valid
    assert valid is not None
    B, T, _ = problem.queries.shape
    rows = (B, T, T) if isinstance(weights, Tensor) and weights.ndim == 3 else (B, problem.n_heads, T, T)
    found = expect_tensor(weights, rows, "the weights")
    expect_excluded(found, valid[:, None, :] if len(rows) == 3 else valid[:, None, None, :], whose)
    return found


def expect_no_influence(student: Student, problem: Problem, generator: torch.Generator) -> None:
    """Other keys and values in padded places change nothing; where own heads mix tokens, that was paid for there."""
    before = ask_module(student, problem)
    if is_own(student, *before, problem):
        return
    assert problem.key_is_valid is not None
    padded = ~problem.key_is_valid[:, :, None]
    # Keys that are not much larger leave "softmax, zero, renormalise" something to divide by; values may be anything.
    keys = torch.where(padded, draw(generator, *problem.keys.shape), problem.keys)
    values = torch.where(padded, 1e6 * draw(generator, *problem.keys.shape), problem.values)
    after = ask_module(student, problem._replace(keys=keys, values=values))
    if not isinstance(before[0], Tensor):
        raise CheckFailed("the output is no tensor", "a tensor")
    hint = "are the weights that read the values those under the mask, and is it the keys that are masked?"
    expect_close(after[0], before[0].detach(), "the output after padded keys and values were changed", hint=hint)
