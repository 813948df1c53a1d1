"""Checks of `score_variance` and `score_divisor`: exact values, in any float dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor

from grader_tests.references import variance as reference
from grader_tests.vocabulary.draws import fresh_integers
from grading.checks import check
from grading.expectations import TOLERANCE, close, expect_close, expect_tensor
from grading.student import Student, StudentFault

# No tensor goes in, so an answer may be worked out in float32 and come back as a float: float32's tolerance for all.
LOOSE = TOLERANCE[torch.float32]
Mistakes = Callable[[int, float, float], Mapping[str, Tensor]]


def plain_cases(generator: torch.Generator) -> Iterator[tuple[int]]:
    """Widths alone: published ones, one, and fresh ones."""
    yield from ((d,) for d in (4, 16, 64, 512, 1, *fresh_integers(generator, 2, 400, 4)))


def general_cases(generator: torch.Generator) -> Iterator[tuple[int, float, float]]:
    """Widths with variances; in each case something differs that a mistake could exchange."""
    for d in fresh_integers(generator, 3, 90, 4):
        var_q, var_k = (torch.rand(2, generator=generator, dtype=torch.float64) * 3.0 + 1.2).tolist()
        yield d, var_q, 1.0 / var_k
        yield d, 1.0, var_k
        yield d, var_q, 1.0


def expect_value(found: object, expected: float, what: str, mistakes: Mapping[str, Tensor], hint: str = "") -> None:
    """A number, whatever type of number it is."""
    value = expect_tensor(found, (), what).double()
    right = torch.tensor(expected, dtype=torch.float64)
    known = {name: wrong for name, wrong in mistakes.items() if not close(wrong, right, 10 * LOOSE)}
    expect_close(value, right, what, tolerance=LOOSE, mistakes=known, hint=hint)


@check(
    "score_variance_plain",
    cell="score_variance",
    points=1,
    uses=("score_variance",),
    about="the exact variance for coordinates of variance one",
)
def score_variance_plain(student: Student, generator: torch.Generator) -> None:
    """Both variances left at their defaults, then given as one."""
    for (d,) in plain_cases(generator):
        mistakes = reference.mistaken_variances(d, 1.0, 1.0)
        expect_value(student.score_variance(d), reference.score_variance(d), "the variance for a width alone", mistakes)
        expect_value(
            student.score_variance(d, 1.0, 1.0), reference.score_variance(d), "the variance for variances of one", mistakes
        )


@check(
    "score_variance_general",
    cell="score_variance",
    points=1,
    uses=("score_variance",),
    about="the exact variance for coordinates of any variance",
)
def score_variance_general(student: Student, generator: torch.Generator) -> None:
    """By position and by name."""
    for d, var_q, var_k in general_cases(generator):
        expected, mistakes = reference.score_variance(d, var_q, var_k), reference.mistaken_variances(d, var_q, var_k)
        expect_value(student.score_variance(d, var_q, var_k), expected, "the variance for other variances", mistakes)
        expect_value(student.score_variance(d, var_k=var_k, var_q=var_q), expected, "the variance with named arguments", mistakes)


def own_root(student: Student, case: tuple[int] | tuple[int, float, float]) -> float | None:
    """The root of the student's own variance; None where it fails, or ignores one of the arguments of this case."""
    try:
        own, *changed = (finite_number(student.score_variance(*given)) for given in (case, *one_changed(case)))
    except StudentFault:
        return None
    if own is None or own < 0 or any(other is None or other == own for other in changed):
        return None
    return math.sqrt(own)


def one_changed(case: tuple[int] | tuple[int, float, float]) -> Iterator[tuple[float, ...]]:
    """The same case with one argument at a time several times as large, so that whole roots differ too; a width stays whole."""
    for i, given in enumerate(case):
        yield (*case[:i], 4 * given + 5, *case[i + 1 :])


def finite_number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex():
        value = value.detach().double().item()
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if isinstance(value, (int, float)) and usable else None


def is_own_root(student: Student, found: object, case: tuple[int] | tuple[int, float, float]) -> bool:
    """Whether a divisor is the root of what the student's own `score_variance` says: right, for that error has been paid for."""
    value, own = finite_number(found), own_root(student, case)
    return value is not None and own is not None and abs(value - own) <= LOOSE * own


@check(
    "score_divisor_plain",
    cell="score_divisor",
    points=1,
    uses=("score_divisor", "score_variance"),
    about="the divisor for coordinates of variance one",
)
def score_divisor_plain(student: Student, generator: torch.Generator) -> None:
    """The root of the width."""
    for case in plain_cases(generator):
        found = student.score_divisor(*case)
        if not is_own_root(student, found, case):
            mistakes = reference.mistaken_divisors(*case, 1.0, 1.0)
            expect_value(found, reference.score_divisor(*case), "the divisor for a width alone", mistakes)


@check(
    "score_divisor_general",
    cell="score_divisor",
    points=1,
    uses=("score_divisor", "score_variance"),
    about="the divisor for coordinates of any variance",
)
def score_divisor_general(student: Student, generator: torch.Generator) -> None:
    """By position and by name."""
    for case in general_cases(generator):
        d, var_q, var_k = case
        for found in (student.score_divisor(d, var_q, var_k), student.score_divisor(d, var_k=var_k, var_q=var_q)):
            if not is_own_root(student, found, case):
                mistakes = reference.mistaken_divisors(d, var_q, var_k)
                expect_value(found, reference.score_divisor(d, var_q, var_k), "the divisor for other variances", mistakes)
