"""Checks of `weighted_value`, `self_attention` and `cross_attention`."""

from __future__ import annotations

import torch
from torch import Tensor

from grader_tests.vocabulary.compositions import expect_projected, expect_reaching_gradients, sequences_and_weights
from grader_tests.vocabulary.inputs import DTYPES, LEADING, draw, with_axes
from grader_tests.vocabulary.rules import expect_pure, moves_random_state
from grading.checks import check
from grading.expectations import expect_close, expect_dtype
from grading.student import Student

PROJECTED = ("self_attention", "attention")
CROSSED = ("cross_attention", "attention")


@check(
    "weighted_value",
    cell="weighted_value",
    points=1,
    uses=("weighted_value",),
    about="one row of the output as a weighted average of the rows of V",
)
def weighted_value(student: Student, generator: torch.Generator) -> None:
    """Every row, both dtypes, three different sizes."""
    for dtype in DTYPES:
        weights = torch.softmax(draw(generator, 3, 5), dim=-1).to(dtype)
        V = draw(generator, 5, 4, dtype=dtype)
        for i in range(3):
            reply = student.ask("weighted_value", weights, V, i)
            expected = torch.einsum("j,jv->v", weights[i].double(), V.double()).to(dtype)
            expect_close(
                reply.value, expected, f"row {i} of the output", mistakes={"this is the row of V, not the average": V[i]}
            )
            expect_pure(reply, "weighted_value")


def projection_inputs(
    generator: torch.Generator, name: str, leading: tuple[int, ...], dtype: torch.dtype = torch.float64, T_q: int = 2
) -> tuple[Tensor, ...]:
    """Inputs of self_attention (d_model 6, d 9, d_v 3, T 5) or cross_attention (d_dec 6, d_enc 7, d 9, d_v 3, T_k 5)."""
    if name == "self_attention":
        shapes: tuple[tuple[int, ...], ...] = ((*leading, 5, 6), (6, 9), (6, 9), (6, 3))
    else:
        shapes = ((*leading, T_q, 6), (*leading, 5, 7), (6, 9), (7, 9), (7, 3))
    # Factors that keep softmax away from its corners, where many mistakes look alike.
    sequences = len(shapes) - 3
    return tuple((1.0 if i < sequences else 0.4) * draw(generator, *shape, dtype=dtype) for i, shape in enumerate(shapes))


def check_projected_values(student: Student, generator: torch.Generator, name: str) -> None:
    """Fresh inputs without a batch, in both dtypes."""
    for dtype in DTYPES:
        for T_q in (2, 5, 8) if name == "cross_attention" else (5,):  # fewer queries than keys, as many, more
            expect_projected(student, name, projection_inputs(generator, name, (), dtype, T_q), "", generator)


def check_projected_batches(student: Student, generator: torch.Generator, name: str) -> None:
    """Leading axes, dtype, arguments left alone, and a gradient for every argument."""
    for leading in LEADING:
        expect_projected(student, name, projection_inputs(generator, name, leading), with_axes(leading), generator)
    inputs = projection_inputs(generator, name, (2,))
    agreed = expect_projected(student, name, inputs, "", generator)
    if agreed is None:  # dtype, randomness and gradients are those of the student's `attention`, where they have been judged
        return
    X_q, X_k, W_Q, W_K, W_V = sequences_and_weights(name, inputs)
    projected = (X_q @ W_Q, X_k @ W_K, X_k @ W_V, W_K.shape[-1])
    expect_pure(student.ask(name, *inputs), name, lambda: moves_random_state(student, "attention", *projected))
    expect_dtype(agreed[0], torch.float64, "the output")
    expect_dtype(agreed[1], torch.float64, "the weights")
    expect_reaching_gradients(student, name, inputs)


@check(
    "self_attention_values",
    cell="self_attention",
    points=1,
    uses=PROJECTED,
    about="one sequence in all three roles, without a batch",
)
def self_attention_values(student: Student, generator: torch.Generator) -> None:
    """Fresh inputs whose widths all differ."""
    check_projected_values(student, generator, "self_attention")


@check(
    "self_attention_batched",
    cell="self_attention",
    points=1,
    uses=PROJECTED,
    about="one sequence in all three roles, in batches, with gradients",
)
def self_attention_batched(student: Student, generator: torch.Generator) -> None:
    """Batches and gradients."""
    check_projected_batches(student, generator, "self_attention")


@check(
    "cross_attention_values",
    cell="cross_attention",
    points=1,
    uses=CROSSED,
    about="queries from the decoder, keys and values from the encoder, without a batch",
)
def cross_attention_values(student: Student, generator: torch.Generator) -> None:
    """Fresh inputs whose widths and lengths all differ."""
    check_projected_values(student, generator, "cross_attention")


@check(
    "cross_attention_batched",
    cell="cross_attention",
    points=1,
    uses=CROSSED,
    about="queries from the decoder, keys and values from the encoder, in batches, with gradients",
)
def cross_attention_batched(student: Student, generator: torch.Generator) -> None:
    """Batches and gradients."""
    check_projected_batches(student, generator, "cross_attention")
