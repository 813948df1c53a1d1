"""Checks of `padding_mask` and `causal_mask`."""

from __future__ import annotations

import torch
from torch import Tensor

from grader_tests.references import masking as reference
from grader_tests.vocabulary.masks import expect_bool, expect_mask
from grader_tests.vocabulary.refusals import expect_accepted, expect_refusal
from grader_tests.vocabulary.rules import expect_pure
from grading.checks import check
from grading.expectations import expect
from grading.student import Student

REAL = "True where a position is real, and False where it is padding"
NOT_LATER = "True in row i for the columns up to i, and False after them"


def draw_lengths(generator: torch.Generator, B: int, longest: int) -> Tensor:
    """(B,) int64 from 1 to `longest`, both of which occur where there is room for them."""
    drawn = torch.randint(1, longest + 1, (B,), generator=generator)
    ends = torch.tensor([1, longest])[:B]
    return torch.cat([ends, drawn[len(ends) :]])[torch.randperm(B, generator=generator)]


@check(
    "padding_mask_values",
    cell="padding_mask",
    points=1,
    uses=("padding_mask",),
    about="which positions of each example are real",
)
def padding_mask_values(student: Student, generator: torch.Generator) -> None:
    """More positions than the longest example has, exactly as many, and as many as there are examples."""
    for B, longest, max_len in ((5, 7, 9), (4, 6, 6), (6, 6, 6)):
        lengths = draw_lengths(generator, B, longest)
        positions, column = torch.arange(max_len), lengths[:, None]
        mistakes = {
            "the mask is upside down: it should be True where a position is real": positions >= column,
            "the mask is one position too long: a length of 3 covers positions 0, 1 and 2": positions <= column,
            "the mask is one position too short: counting begins at 0": positions + 1 < column,
            "real positions come first, padding after them": positions >= max_len - column,
        }
        found = student.padding_mask(lengths, max_len)
        turned = isinstance(found, Tensor) and tuple(found.shape) == (max_len, B) != (B, max_len)
        expect(not turned, "the mask with positions first", "one row for each example, one column for each position")
        expect_mask(found, reference.padding_mask(lengths, max_len), "the mask", mistakes, REAL)


@check(
    "padding_mask_form",
    cell="padding_mask",
    points=1,
    uses=("padding_mask",),
    about="a bool mask, for one example, for long ones, for lengths in any layout",
)
def padding_mask_form(student: Student, generator: torch.Generator) -> None:
    """Dtype, the smallest and a long case, and the argument left alone."""
    spread = torch.stack([draw_lengths(generator, 4, 5), torch.zeros(4, dtype=torch.int64)], dim=1)[:, 0]
    for lengths, max_len in ((draw_lengths(generator, 3, 300), 301), (torch.tensor([1]), 1), (torch.tensor([4]), 5), (spread, 5)):
        reply = student.ask("padding_mask", lengths, max_len)
        right = reference.padding_mask(lengths, max_len)
        expect_mask(reply.value, right, f"the mask for {len(lengths)} examples", meaning=REAL)
        expect_bool(reply.value, "the mask")
        expect_pure(reply, "padding_mask")


@check(
    "padding_mask_errors",
    cell="padding_mask",
    points=1,
    uses=("padding_mask",),
    about="a ValueError for lengths below 1 and above max_len",
)
def padding_mask_errors(student: Student, generator: torch.Generator) -> None:
    """A bad length among good ones; the largest and the smallest good ones are no fault."""
    good = draw_lengths(generator, 4, 6)
    expect_accepted(student, "padding_mask", (good, 6), "lengths from 1 to max_len")
    far = int(torch.randint(2, 40, (1,), generator=generator))
    bad_lengths = ((0, "a length of 0"), (-1, "a negative length"), (-far, "a negative length"))
    for bad, fault in (*bad_lengths, (7, "a length above max_len"), (6 + far, "a length far above max_len")):
        for position in (0, 2, 4):
            lengths = torch.cat([good[:position], torch.tensor([bad]), good[position:]])
            expect_refusal(student, "padding_mask", (lengths, 6), fault)


@check(
    "causal_mask_values",
    cell="causal_mask",
    points=1,
    uses=("causal_mask",),
    about="which keys each query may see",
)
def causal_mask_values(student: Student, generator: torch.Generator) -> None:
    """Several lengths."""
    for T in torch.randint(2, 13, (4,), generator=generator).tolist():
        right = reference.causal_mask(T)
        mistakes = {
            "the mask is upside down: it should be True where a key may be seen": ~right,
            "the triangle is turned: row i is a query, and sees the columns up to i": right.mT,
            "the diagonal is missing: a query may see itself": right & ~right.mT,
            "every key is visible: those after the query must not be": torch.ones_like(right),
        }
        expect_mask(student.causal_mask(T), right, "the mask", mistakes, NOT_LATER)


@check("causal_mask_form", cell="causal_mask", points=1, uses=("causal_mask",), about="a bool mask, for one token and for many")
def causal_mask_form(student: Student, generator: torch.Generator) -> None:
    """Dtype, one token, many tokens."""
    for T in (1, int(torch.randint(130, 160, (1,), generator=generator)), 2):
        reply = student.ask("causal_mask", T)
        expect_mask(reply.value, reference.causal_mask(T), "the mask", meaning=NOT_LATER)
        expect_bool(reply.value, "the mask")
        expect_pure(reply, "causal_mask")
