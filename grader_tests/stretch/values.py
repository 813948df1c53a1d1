"""Checks of what a `MultiHeadAttention` computes without a mask. Each part is judged by what the student makes of the others."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import multihead as reference
from grader_tests.references.multihead import Problem
from grader_tests.stretch.modules import (
    CELL,
    CLASS,
    ODD_SHAPES,
    SHAPES,
    USES,
    ask_module,
    build,
    draw_cross,
    draw_self,
    has_heads,
    in_order,
    tells_keys_apart,
)
from grader_tests.stretch.own import agrees, right_outputs, right_weights
from grader_tests.vocabulary.from_scratch import forbid_ready_made
from grader_tests.vocabulary.inputs import draw
from grader_tests.vocabulary.modules import expect_layers
from grader_tests.vocabulary.shares import expect_row_sums, expect_weights
from grading.checks import CheckFailed, check
from grading.expectations import TOLERANCE, describe, expect, expect_close, expect_tensor
from grading.student import Student

MEAN = "this is the mean over heads, which torch's own module returns by default"
CASES = (
    *((shape, torch.float64) for shape in SHAPES),
    *((shape, torch.float32) for shape in (*SHAPES[:2], *ODD_SHAPES)),
)


@check(
    "multi_head_layers",
    cell=CELL,
    points=0.5,
    uses=(CLASS,),
    about="four layers W_Q, W_K, W_V and W_O without a bias, and an output as wide as the input",
)
def multi_head_layers(student: Student, generator: torch.Generator) -> None:
    """Names and shapes in the state dict, each layer with a weight of its own; other buffers and layers may stand beside."""
    for shape in (SHAPES[0], SHAPES[4]):
        problem = draw_self(generator, shape)
        build(student, problem)
        expect_layers(student, problem.layers._asdict())
        output = ask_module(student, problem)[0]
        expect_tensor(output, tuple(problem.queries.shape), "the output")


@check(
    "multi_head_from_scratch",
    cell=CELL,
    points=0.5,
    uses=(CLASS,),
    about="weights that are shares of the keys, written from its parts",
)
def multi_head_from_scratch(student: Student, generator: torch.Generator) -> None:
    """The structure, whatever the scale and the cut; and no ready-made attention. Weights averaged over heads are shares too."""
    for shape in SHAPES[:3]:
        problem = draw_self(generator, shape)
        weights = watched_weights(student, problem)
        expect_row_sums(weights, "the softmax runs over the keys, the last axis")
        expect(bool((weights >= 0).all()), "a weight is negative", "shares between 0 and 1")
        x = draw(generator, *problem.queries.shape)
        other = watched_weights(student, problem._replace(queries=x, keys=x, values=x))
        expect(not agrees(other, weights), "the weights are the same for other tokens", "weights that depend on the tokens")


def watched_weights(student: Student, problem: Problem) -> Tensor:
    """Weights (..., T_q, T_k) that no ready-made attention has made."""
    build(student, problem, ())
    reply = student.ask("module", *problem[2:5], key_is_valid=None, watch=True)
    forbid_ready_made(student.sources.get(f"{CELL}_answer", ""), reply)
    weights = in_order(reply.value, problem)[1]
    lengths = (problem.queries.shape[1], problem.keys.shape[1])
    tabled = isinstance(weights, Tensor) and weights.dtype.is_floating_point and tuple(weights.shape[-2:]) == lengths
    if not tabled:
        raise CheckFailed(f"the weights as {describe(weights)}", "one row for each query, one column for each key")
    assert isinstance(weights, Tensor)
    return weights


def expect_head_weights(student: Student, weights: Any, problem: Problem, what: str) -> None:
    """Every head's weights agree with the definition, or with what a right module makes of the student's own heads."""
    candidates = right_weights(student, problem)
    right = next(candidates)
    if agrees(weights, right) or any(agrees(weights, own) for own in candidates):
        return
    if isinstance(weights, Tensor) and tuple(weights.shape) == (*right.shape[:1], *right.shape[2:]):
        mean = MEAN if agrees(weights, right.mean(1)) else ""
        raise CheckFailed(f"{what} as {describe(weights)}", f"those of each head, shape {tuple(right.shape)}", mistake=mean)
    expect_weights(weights, right, what, partial(reference.mistaken_weights, problem))


@check(
    "multi_head_self_weights",
    cell=CELL,
    points=0.5,
    uses=USES,
    about="each head's weights, for one sequence in all three roles",
)
def multi_head_self_weights(student: Student, generator: torch.Generator) -> None:
    """Many sizes, both dtypes; then scores far apart."""
    for shape, dtype in CASES:
        problem = draw_self(generator, shape, dtype)
        build(student, problem, ("W_Q", "W_K"))
        expect_head_weights(student, ask_module(student, problem)[1], problem, f"the weights{with_heads(problem)}")
    expect_far_apart(student, generator)


def expect_far_apart(student: Student, generator: torch.Generator) -> None:
    """Scores of 200 to 10,000, of either sign, that differ by row, head and example; not where exp of any score overflows.

    That is paid for under a mask. In float64, where a score of 1e4 is known to 1e-11; d_head has a whole root.
    """
    shape = SHAPES[0]
    rows = shape.B * shape.T_q
    levels = torch.linspace(-1, 1, rows, dtype=torch.float64)[torch.randperm(rows, generator=generator)]
    sizes = torch.tensor([1e4, 5e3, 2e3], dtype=torch.float64)
    alike = moved(draw_self(generator, shape), torch.full_like(sizes, 1e4), torch.ones(shape.B, shape.T_q, dtype=torch.float64))
    apart = moved(draw_self(generator, shape), sizes, levels.reshape(shape.B, shape.T_q))
    build(student, alike, ("W_Q", "W_K"))
    weights = ask_module(student, alike)[1]
    if isinstance(weights, Tensor) and bool(weights.isfinite().all()):
        build(student, apart, ("W_Q", "W_K"))
        expect_head_weights(
            student, ask_module(student, apart)[1], apart, "the weights for scores of up to 10,000 that lie far apart"
        )


def moved(problem: Problem, sizes: Tensor, levels: Tensor) -> Problem:
    """All scaled scores of head h and query t of example b moved by sizes[h] * levels[b, t], by the last column of every head."""
    layers, n_heads, x, *_ = problem
    d_head = x.shape[-1] // n_heads
    last = torch.arange(1, n_heads + 1) * d_head - 1
    W_Q, W_K, x = layers.W_Q.clone(), layers.W_K.clone(), x.clone()
    W_Q[last], W_K[last] = 0.0, 0.0
    W_Q[last, -2], W_K[last, -1] = sizes * d_head**0.5, 1.0
    x[..., -2], x[..., -1] = levels, 1.0
    return problem._replace(layers=layers._replace(W_Q=W_Q, W_K=W_K), queries=x, keys=x, values=x)


@check(
    "multi_head_cross_weights",
    cell=CELL,
    points=0.5,
    uses=USES,
    about="each head's weights, and values read from the third argument, for queries, keys and values of their own",
)
def multi_head_cross_weights(student: Student, generator: torch.Generator) -> None:
    """Fewer queries than keys, as many, more; an output that is linear in the values whatever is done with them."""
    for shape, dtype in CASES:
        problem = draw_cross(generator, shape, dtype)
        build(student, problem, ("W_Q", "W_K"))
        output, weights = ask_module(student, problem)
        expect_head_weights(student, weights, problem, f"the weights{with_heads(problem)}")
        if dtype is torch.float64:
            expect_linear(student, problem, output, draw(generator, *problem.values.shape))


def expect_linear(student: Student, problem: Problem, output: Any, more: Tensor) -> None:
    """The output for a sum of values is the sum of their outputs."""
    second = ask_module(student, problem._replace(values=more))[0]
    together = ask_module(student, problem._replace(values=problem.values + more))[0]
    parts = [expect_tensor(part, tuple(problem.queries.shape), "the output") for part in (output, second)]
    hint = "values come from the third argument, and from nowhere else"
    expect_close(together, parts[0] + parts[1], "the output for a sum of values, against the sum of outputs,", hint=hint)


def with_heads(problem: Problem) -> str:
    """How a message names a problem."""
    heads = "one head" if problem.n_heads == 1 else f"{problem.n_heads} heads"
    dtype = str(problem.queries.dtype).removeprefix("torch.")
    return f" with {heads}, d_model = {problem.queries.shape[-1]}, in {dtype}"


@check(
    "multi_head_output",
    cell=CELL,
    points=1,
    uses=USES,
    about="values projected, read by every head with its own weights, merged, and projected by W_O",
)
def multi_head_output(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights where there are some for every head: what these should be is asked elsewhere."""
    for shape, dtype in CASES:
        problem = draw_self(generator, shape, dtype)
        build(student, problem, ("W_V", "W_O"))
        expect_output(student, problem, *ask_module(student, problem))


def expect_output(student: Student, problem: Problem, output: Any, weights: Any) -> None:
    """The output of the student's own weights, or of right ones."""
    right = next(right_weights(student, problem))
    own = [weights] if has_heads(weights, problem) and tells_keys_apart(weights) else []
    for some in (*own, *right_weights(student, problem)):
        if any(agrees(output, candidate) for candidate in right_outputs(student, problem, some)):
            return
    used = own[0] if own else right
    expected = next(right_outputs(student, problem, used))
    mistakes = {name: wrong.to(expected.dtype) for name, wrong in reference.mistaken_outputs(problem, used).items()}
    expect_close(output, expected, f"the output{with_heads(problem)}", tolerance=TOLERANCE[expected.dtype], mistakes=mistakes)
