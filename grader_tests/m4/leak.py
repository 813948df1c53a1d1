"""Checks of `zero_score_leak`."""

from __future__ import annotations

import torch
from torch import Tensor

from grader_tests.m4.batches import draw_valid
from grader_tests.references import masking as reference
from grader_tests.vocabulary.inputs import DTYPES, draw, non_contiguous
from grader_tests.vocabulary.rules import expect_pure
from grading.checks import check
from grading.expectations import expect_close, expect_dtype, expect_tensor
from grading.student import Student


def draw_scores(generator: torch.Generator, B: int, m: int, n: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """scores (B, m, n), key_is_valid (B, n)."""
    return draw(generator, B, m, n, dtype=dtype), draw_valid(generator, B, n)


def expect_leak(student: Student, scores: Tensor, valid: Tensor, what: str, tolerance: float | None = None) -> None:
    """The leak agrees with the definition."""
    expected = reference.zero_score_leak(scores, valid).to(scores.dtype)
    mistakes = reference.mistaken_leaks(scores, valid)
    expect_close(student.zero_score_leak(scores, valid), expected, what, mistakes=mistakes, tolerance=tolerance)


def expect_share(student: Student, scores: Tensor, valid: Tensor, share: float, what: str) -> None:
    """One share, 0 or 1, for every query; a way to it that is 1 minus a sum may be off by units of the last place of 1."""
    found = expect_tensor(student.zero_score_leak(scores, valid), tuple(scores.shape[:2]), what)
    expect_dtype(found, scores.dtype, "the leak")
    expect_close(found + 1, torch.full_like(found, share + 1), what)


@check(
    "zero_score_leak_values",
    cell="zero_score_leak",
    points=1,
    uses=("zero_score_leak",),
    about="what padded keys earn together with a score of 0",
)
def zero_score_leak_values(student: Student, generator: torch.Generator) -> None:
    """Fresh scores in both dtypes, padding anywhere; sizes that all differ, some that are equal, and a batch of one."""
    for sizes in ((4, 3, 6), (3, 3, 5), (2, 5, 5), (5, 2, 5), (3, 1, 4), (1, 3, 4)):
        for dtype in DTYPES:
            expect_leak(student, *draw_scores(generator, *sizes, dtype), "the leak")


@check(
    "zero_score_leak_limits",
    cell="zero_score_leak",
    points=1,
    uses=("zero_score_leak",),
    about="no padding, equal scores, scores near 1e4, dtype, arguments left alone",
)
def zero_score_leak_limits(student: Student, generator: torch.Generator) -> None:
    """Closed forms: nothing leaks without padding; of equal scores of 0 the share is the number of padded keys over all."""
    scores, valid = draw_scores(generator, 3, 2, 5)
    expect_share(student, scores, torch.ones_like(valid), 0.0, "the leak without padding")
    shares = ((~valid).sum(dim=-1, keepdim=True) / 5).double().expand(3, 2)
    expect_close(student.zero_score_leak(scores * 0, valid), shares, "the leak where all scores are 0", tolerance=1e-6)
    for size in (1e4, -1e4):
        for dtype in DTYPES:
            expect_share(student, (scores + size).to(dtype), valid, float(size < 0), f"the leak for scores near {size:g}")
    padded_high = torch.where(valid[:, None, :], scores, 1e4)
    expect_leak(student, padded_high, valid, "the leak where padded keys came with scores near 1e4")
    reply = student.ask("zero_score_leak", non_contiguous(scores), valid)
    expect_pure(reply, "zero_score_leak")
    expect_close(reply.value, reference.zero_score_leak(scores, valid), "the leak of non-contiguous scores")
    single = expect_close(
        student.zero_score_leak(scores.float(), valid), reference.zero_score_leak(scores.float(), valid).float(), "the leak"
    )
    expect_dtype(single, torch.float32, "the leak")
