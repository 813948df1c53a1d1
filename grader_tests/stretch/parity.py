"""Checks of `MultiHeadAttention` against torch's own module, and of its error."""

from __future__ import annotations

import torch

from grader_tests.references import multihead as reference
from grader_tests.stretch.masks import draw_padded_cross
from grader_tests.stretch.modules import CELL, CLASS, SHAPES, USES, build, in_order
from grader_tests.stretch.own import is_own
from grader_tests.vocabulary.from_scratch import forbid_ready_made
from grader_tests.vocabulary.inputs import DTYPES
from grader_tests.vocabulary.refusals import expect_accepted, expect_refusal
from grading.checks import check
from grading.expectations import expect_close
from grading.student import Student


@check(
    "multi_head_parity",
    cell=CELL,
    points=1,
    uses=USES,
    about="the output and weights of torch's own module with the same weights, with and without a mask",
)
def multi_head_parity(student: Student, generator: torch.Generator) -> None:
    """Queries, keys and values of their own, other lengths, masks; from parts, for torch's own would agree with itself."""
    for shape in SHAPES[:4]:
        for dtype in DTYPES:
            padded = draw_padded_cross(generator, shape, dtype)
            for given in (padded._replace(key_is_valid=None), padded):
                build(student, given)
                reply = student.ask("module", *given[2:5], key_is_valid=given.key_is_valid, watch=True)
                forbid_ready_made(student.sources.get(f"{CELL}_answer", ""), reply)
                output, weights = in_order(reply.value, given)
                if is_own(student, output, weights, given):
                    continue
                expected = reference.torchs_own(given)
                for found, right, what in zip((output, weights), expected, ("the output", "the weights"), strict=True):
                    expect_close(found, right, f"{what}, against torch's own module{' under a mask' * (given is padded)},")


@check(
    "multi_head_error",
    cell=CELL,
    points=1,
    uses=(CLASS,),
    about="a ValueError when a module is made whose heads do not divide its width",
)
def multi_head_error(student: Student, generator: torch.Generator) -> None:
    """Widths that leave a rest, more heads than columns; whatever divides is no fault."""
    for n_heads in torch.randperm(5, generator=generator)[:3].add(2).tolist():
        d_head = int(torch.randint(2, 9, (), generator=generator))
        for rest in (1, n_heads - 1):
            fault = f"{n_heads} heads and a width that they do not divide"
            expect_refusal(student, CLASS, (n_heads * d_head + rest, n_heads), fault)
        expect_refusal(student, CLASS, (n_heads, 2 * n_heads), "more heads than columns")
        for d_model, heads in ((n_heads * d_head, n_heads), (d_head, 1), (n_heads, n_heads)):
            expect_accepted(student, CLASS, (d_model, heads), "a number of heads that divides the width")
