"""Checks of `additive_scores`."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader_tests.references import attention as reference
from grader_tests.vocabulary.inputs import DTYPES, LEADING, draw, examples, non_contiguous, with_axes
from grader_tests.vocabulary.rules import expect_gradients, expect_pure, expect_repeatable
from grading.checks import check
from grading.expectations import expect_close, expect_dtype, expect_tensor
from grading.student import Student


def additive_inputs(generator: torch.Generator, leading: tuple[int, ...], dtype: torch.dtype) -> tuple[Tensor, ...]:
    """queries (*leading, 3, 4), keys (*leading, 5, 6), W_q (4, 7), W_k (6, 7), v (7,)."""
    shapes = ((*leading, 3, 4), (*leading, 5, 6), (4, 7), (6, 7), (7,))
    return tuple(draw(generator, *shape, dtype=dtype) for shape in shapes)


@check(
    "additive_values",
    cell="additive_scores",
    points=2,
    uses=("additive_scores",),
    about="scores of every query for every key, without a batch",
)
def additive_values(student: Student, generator: torch.Generator) -> None:
    """Fresh inputs in both dtypes, where mistakes differ from each other, then a case by hand."""
    for dtype in DTYPES:
        inputs = additive_inputs(generator, (), dtype)
        expected = reference.additive_scores(*inputs).to(dtype)
        expect_close(
            student.additive_scores(*inputs), expected, "the scores", mistakes=reference.mistaken_additive_scores(*inputs)
        )
    small = torch.tensor([[0.5]]), torch.tensor([[0.0], [1.0]]), torch.tensor([[1.0]]), torch.tensor([[2.0]]), torch.tensor([3.0])
    by_hand = torch.tensor([[3 * math.tanh(0.5), 3 * math.tanh(2.5)]])
    expect_close(student.additive_scores(*small), by_hand, "the scores of one query for two keys")


@check(
    "additive_batched",
    cell="additive_scores",
    points=1,
    uses=("additive_scores",),
    about="scores with leading batch axes, and the same one by one",
)
def additive_batched(student: Student, generator: torch.Generator) -> None:
    """None, one and two leading axes; each example of a batch as if it were alone."""
    for leading in LEADING:
        inputs = additive_inputs(generator, leading, torch.float64)
        expect_close(student.additive_scores(*inputs), reference.additive_scores(*inputs), f"the scores{with_axes(leading)}")
    queries, keys, *rule = additive_inputs(generator, (2,), torch.float64)
    together = expect_tensor(student.additive_scores(queries, keys, *rule), (2, 3, 5), "the scores")
    for i, (query, key) in enumerate(examples(queries, keys)):
        expect_close(
            student.additive_scores(query, key, *rule), together[i], "an example scored alone, against itself in the batch,"
        )


@check(
    "additive_properties",
    cell="additive_scores",
    points=1,
    uses=("additive_scores",),
    about="gradients, dtype, arguments left alone, odd memory layouts",
)
def additive_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values."""
    inputs = additive_inputs(generator, (), torch.float64)
    reply = student.ask("additive_scores", *inputs)
    expect_pure(reply, "additive_scores")
    expect_dtype(expect_close(reply.value, reference.additive_scores(*inputs), "the scores"), torch.float64, "the scores")
    expect_repeatable(reply.value, student.additive_scores(*inputs), "additive_scores")
    single = additive_inputs(generator, (), torch.float32)
    expect_dtype(expect_tensor(student.additive_scores(*single), (3, 5), "the scores"), torch.float32, "the scores")
    queries, keys, W_q, W_k, v = inputs
    turned = (non_contiguous(queries), non_contiguous(keys), non_contiguous(W_q), non_contiguous(W_k), v)
    expect_close(student.additive_scores(*turned), reference.additive_scores(*inputs), "the scores of non-contiguous inputs")
    large = (queries * 1e4, keys * 1e4, W_q, W_k, v)
    expect_close(student.additive_scores(*large), reference.additive_scores(*large), "the scores of inputs near 1e4")
    expect_gradients(student, "additive_scores", inputs, [()], lambda *given: (reference.additive_scores(*given),), generator)
