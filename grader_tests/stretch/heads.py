"""Checks of `split_heads` and `merge_heads`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader_tests.references import multihead as reference
from grader_tests.vocabulary.inputs import DTYPES, draw
from grader_tests.vocabulary.rules import expect_pure
from grading.checks import CheckFailed, check
from grading.expectations import close, expect_close, expect_dtype, expect_tensor
from grading.student import Gradients, Student, StudentFault

# (B, T, n_heads, d_head): first all different, then in turn two that are equal, where axes may be mistaken for each other.
SHAPES = ((2, 5, 3, 4), (3, 4, 3, 2), (2, 3, 3, 5), (5, 2, 3, 3), (2, 4, 3, 4), (4, 4, 2, 6))
# One example, one token, one head, one column.
SINGLE = ((1, 5, 3, 4), (2, 1, 3, 4), (2, 5, 1, 4), (2, 5, 3, 1))
Shape = tuple[int, int, int, int]


def draw_rows(generator: torch.Generator, shape: Shape, dtype: torch.dtype = torch.float64) -> Tensor:
    """(B, T, n_heads * d_head), as a projection gives it."""
    B, T, n_heads, d_head = shape
    return draw(generator, B, T, n_heads * d_head, dtype=dtype)


def draw_heads(generator: torch.Generator, shape: Shape, dtype: torch.dtype = torch.float64) -> Tensor:
    """(B, n_heads, T, d_head), contiguous."""
    B, T, n_heads, d_head = shape
    return draw(generator, B, n_heads, T, d_head, dtype=dtype)


def expect_split(student: Student, x: Tensor, n_heads: int, what: str) -> None:
    """The heads agree, exactly: nothing is computed."""
    found = student.split_heads(x, n_heads)
    shape = (x.shape[0], n_heads, x.shape[1], x.shape[2] // n_heads)
    unmoved = (shape[0], shape[2], shape[1], shape[3])
    if isinstance(found, Tensor) and tuple(found.shape) == unmoved != shape:
        raise CheckFailed(f"{what} with tokens before heads", "(B, n_heads, T, d_head)", "exchange the two middle axes")
    expected = reference.split_heads(x, n_heads)
    expect_close(found, expected, what, tolerance=0.0, mistakes=reference.mistaken_splits(x, n_heads))


@check(
    "split_heads_values",
    cell="split_heads",
    points=0.5,
    uses=("split_heads",),
    about="which columns each head takes",
)
def split_heads_values(student: Student, generator: torch.Generator) -> None:
    """Sizes that all differ, and sizes that happen to be equal."""
    for shape in SHAPES:
        expect_split(student, draw_rows(generator, shape), shape[2], "the heads")


@check(
    "split_heads_form",
    cell="split_heads",
    points=0.5,
    uses=("split_heads",),
    about="heads of the right shape and dtype in every layout and with one of anything; arguments left alone, gradients",
)
def split_heads_form(student: Student, generator: torch.Generator) -> None:
    """That entries are rearranged and none is changed; which goes where is asked of single sizes alone."""
    for shape in (*SHAPES[:2], *SINGLE):
        for dtype in DTYPES:
            tidy, *others = layouts(draw_rows(generator, shape, dtype))
            reply = student.ask("split_heads", tidy, shape[2])
            heads = expect_tensor(reply.value, (shape[0], shape[2], shape[1], shape[3]), "the heads")
            expect_rearranged(heads, tidy, "the heads")
            expect_pure(reply, "split_heads")
            for x in others:
                expect_close(student.split_heads(x, shape[2]), heads, "the heads of rows in another layout", tolerance=0.0)
    arguments = (draw_rows(generator, SHAPES[0]), SHAPES[0][2])
    expect_gradient(student, "split_heads", arguments, draw_heads(generator, SHAPES[0]))


def layouts(x: Tensor) -> list[Tensor]:
    """The same values (a, b, ..., z) as they are, with the outer axes exchanged in memory, and with the inner ones."""
    return [x, x.transpose(0, 1).contiguous().transpose(0, 1), x.mT.contiguous().mT]


def expect_rearranged(found: Tensor, x: Tensor, what: str) -> None:
    """Every entry of x once, in its dtype."""
    expect_dtype(found, x.dtype, what)
    expect_close(found.flatten().sort().values, x.flatten().sort().values, f"{what}, whose entries were sorted,", tolerance=0.0)


def expect_gradient(student: Student, name: str, arguments: tuple[Any, ...], cotangent: Tensor) -> None:
    """A gradient reaches the first argument: every entry of the cotangent, which has the shape of the result, once."""
    x = arguments[0].clone().requires_grad_(True)
    (gradient,) = student.ask(name, x, *arguments[1:], gradients=Gradients([((), cotangent)], ["0"])).gradients
    if gradient is None:
        raise CheckFailed(f"no gradient reaches the argument of `{name}`", "a gradient", "is there a detach() on the way?")
    expect_rearranged(expect_tensor(gradient, tuple(x.shape), "the gradient"), cotangent, "the gradient")


@check(
    "merge_heads_values",
    cell="merge_heads",
    points=0.5,
    uses=("merge_heads",),
    about="the columns of each head, side by side",
)
def merge_heads_values(student: Student, generator: torch.Generator) -> None:
    """Sizes that all differ, sizes that happen to be equal, one of anything, every layout, both dtypes."""
    for shape in (*SHAPES, *SINGLE):
        for dtype in DTYPES:
            for x in layouts(draw_heads(generator, shape, dtype)):
                reply = student.ask("merge_heads", x)
                mistakes = reference.mistaken_merges(x)
                found = expect_close(reply.value, reference.merge_heads(x), "the rows", tolerance=0.0, mistakes=mistakes)
                expect_dtype(found, dtype, "the rows")
                expect_pure(reply, "merge_heads")


@check(
    "merge_heads_inverse",
    cell="merge_heads",
    points=0.5,
    uses=("merge_heads", "split_heads"),
    about="what was split comes back as it was, and a gradient with it",
)
def merge_heads_inverse(student: Student, generator: torch.Generator) -> None:
    """The inverse of the definition's split, or of the student's own where that is another rearrangement."""
    for shape in (*SHAPES, *SINGLE):
        rows = [draw_rows(generator, shape) for _ in range(3)]
        order = torch.randperm(len(rows), generator=generator).tolist()
        own = {i: own_split(student, rows[i], shape[2]) for i in range(len(rows))}
        for i in order:
            expect_undone(student, rows[i], shape[2], own[i])
    expect_gradient(student, "merge_heads", (draw_heads(generator, SHAPES[0]),), draw_rows(generator, SHAPES[0]))


def expect_undone(student: Student, x: Tensor, n_heads: int, own: Tensor | None) -> None:
    """The rows come back from the definition's heads, or from the student's own (None where these are no other)."""
    heads = reference.split_heads(x, n_heads)
    found = student.merge_heads(heads)
    if isinstance(found, Tensor) and found.dtype is x.dtype and close(found, x, 0.0):
        return
    if own is not None:
        undone = student.merge_heads(own)
        if isinstance(undone, Tensor) and undone.dtype is x.dtype and close(undone, x, 0.0):
            return
    expect_close(found, x, "rows that were split and merged", tolerance=0.0, mistakes=reference.mistaken_merges(heads))


def own_split(student: Student, x: Tensor, n_heads: int) -> Tensor | None:
    """The student's own heads, where they have the right shape and hold every entry once, and yet are not the definition's."""
    right = reference.split_heads(x, n_heads)
    try:
        found = student.split_heads(x, n_heads)
    except StudentFault:
        return None
    return found if is_another_arrangement(found, right) else None


def own_merge(student: Student, heads: Tensor) -> Tensor | None:
    """The student's own rows, where they have the right shape and hold every entry once, and yet are not the definition's."""
    right = reference.merge_heads(heads)
    try:
        found = student.merge_heads(heads)
    except StudentFault:
        return None
    return found if is_another_arrangement(found, right) else None


def is_another_arrangement(found: object, right: Tensor) -> bool:
    """Whether an answer holds the entries of the right one in other places."""
    if not isinstance(found, Tensor) or found.dtype is not right.dtype or found.shape != right.shape:
        return False
    return torch.equal(found.flatten().sort().values, right.flatten().sort().values) and not torch.equal(found, right)
