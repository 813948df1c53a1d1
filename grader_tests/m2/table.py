"""Checks of `variance_table`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader_tests.m2.laws import Outcome, expect_outcomes, law_outcome
from grader_tests.references import variance as reference
from grader_tests.references.variance import Row
from grader_tests.vocabulary.draws import (
    agree,
    common_mistake,
    expect_generator_obeyed,
    fresh_integers,
    fresh_seeds,
    running_generator,
    same_numbers,
    seeded,
)
from grading.checks import CheckFailed, check
from grading.expectations import describe, expect
from grading.student import Seeded, Student, StudentFault

PUBLISHED_WIDTHS = (4, 16, 64)
PAIR_ROWS, PAIR_CALLS = 2_250, 2
USES = ("variance_table", "dot_products")


def rows_of(value: Any, widths: Sequence[int]) -> list[Row]:
    """Three numbers for each width, in the order given. Raises CheckFailed for anything else."""
    expect(isinstance(value, (list, tuple)), f"the table as {describe(value)}", "a list with a triple for each width")
    expect(len(value) == len(widths), f"{len(value)} rows for {len(widths)} widths", "one row for each width, equal ones too")
    rows = [numbers_in(row) for row in value]
    triples = [(row[0], row[1], row[2]) for row in rows if len(row) == 3]
    expect(len(triples) == len(rows), "a row that is no triple of numbers", "rows (d_k, variance, std)")
    named = [row[0] for row in triples]
    expect(
        named == [float(width) for width in widths], "rows whose d_k is not the width asked for", "the widths, in the order given"
    )
    return triples


def numbers_in(row: Any) -> tuple[float, ...]:
    """The numbers of a row that is a sequence, or a tensor or array with one axis; none of anything else."""
    if isinstance(row, np.ndarray) and row.dtype.kind in "fiu":
        row = torch.from_numpy(row)
    if isinstance(row, Tensor):
        row = list(row) if row.ndim == 1 else []
    return tuple(number_in(part) for part in row) if isinstance(row, (list, tuple)) else ()


def number_in(part: Any) -> float:
    """A number, or a tensor that holds a single one; NaN for anything else."""
    if isinstance(part, Tensor) and part.numel() == 1 and not part.is_complex():
        return float(part.detach().double().item())
    usable = isinstance(part, (int, float)) and not isinstance(part, bool) and abs(part) < 1e300
    return float(part) if usable else math.nan


def table(student: Student, widths: Sequence[int], n: int, seed: int) -> list[Row]:
    """The student's table."""
    return rows_of(student.variance_table(list(widths), n, Seeded(seed)), widths)


def column(rows: Sequence[Row], i: int) -> Tensor:
    """(len(rows),): one column of a table."""
    return torch.tensor([row[i] for row in rows], dtype=torch.float64)


def as_tensor(rows: Sequence[Row]) -> Tensor:
    """(len(rows), 3)."""
    return torch.tensor(rows, dtype=torch.float64)


def known_or_own(student: Student, generator: torch.Generator, judged: slice) -> tuple[bool, str]:
    """Whether tables are the reference's or the right composition of the student's own sampler, number by number.

    `judged` says which columns. Beside it, the name of the known mistake that they are otherwise, or nothing.
    """
    mistakes: list[list[str]] = []
    for n in fresh_integers(generator, 12, 40, 2):
        widths, (seed,) = [*fresh_integers(generator, 2, 30, 3), 7, 7], fresh_seeds(generator, 1)
        found = as_tensor(table(student, widths, n, seed))[:, judged]
        if agree(found, as_tensor(reference.variance_table(widths, n, seeded(seed)))[:, judged]):
            continue
        own = own_table(student, widths, n, seed)
        if own is None or not agree(found, as_tensor(own)[:, judged]):
            known = reference.mistaken_tables(widths, n, seed).items()
            mistakes.append([name for name, wrong in known if agree(found, as_tensor(wrong)[:, judged])])
    return not mistakes, common_mistake(mistakes)


def own_table(student: Student, widths: Sequence[int], n: int, seed: int) -> list[Row] | None:
    """The table of the student's own `dot_products`; None where it fails, or ignores one of its arguments."""
    try:
        if not depends_on_all(student, n, seed):
            return None
        running = running_generator(student, seed)
        drawn = [(width, student.dot_products(n, width, running)) for width in widths]
    except StudentFault:
        return None
    usable = all(isinstance(d, Tensor) and d.dtype.is_floating_point and d.numel() > 1 for _, d in drawn)
    return reference.table_of(drawn) if usable else None


def depends_on_all(student: Student, n: int, seed: int) -> bool:
    """Whether the student's sampler changes with n, with d_k and with the generator."""
    first = student.ask("dot_products", n, 5, Seeded(seed))
    others = ((n + 1, 5, Seeded(seed)), (n, 11, Seeded(seed)), (n, 5, Seeded(seed + 1)))
    return not any(same_numbers(first, student.ask("dot_products", *other)) for other in others)


@check(
    "variance_table_rows",
    cell="variance_table",
    points=1,
    uses=USES,
    about="a triple for each width, std the root of the variance, one generator throughout",
)
def variance_table_rows(student: Student, generator: torch.Generator) -> None:
    """Widths that are not sorted, and one of them twice; then what a generator argument promises."""
    (n,), (seed,) = fresh_integers(generator, 20, 60, 1), fresh_seeds(generator, 1)
    for widths in ([16, 3, 40, 3, 2], [5]):
        rows = table(student, widths, n, seed)
        variances, deviations = column(rows, 1), column(rows, 2)
        finite = bool(variances.isfinite().all() and deviations.isfinite().all() and (variances >= 0).all())
        expect(finite, "a variance that is negative or no finite number", "a variance and its root in each row")
        hint = "the row's third number is the square root of its second, both of the same sample"
        if bool(((variances * 1000).round() == (variances * 1000)).all()) or agree(deviations, (deviations * 100).round() / 100):
            hint = "do not round: the root of a rounded variance is not the rounded root"
        expect(agree(deviations, variances.sqrt()), "a std that is not the root of its variance", "std = sqrt(variance)", hint)
    try:
        expect_drawn_anew(student, generator, n)
    except CheckFailed:
        if not (sampler_disobeys(student, generator) and is_own_of_one_width(student, generator)):
            raise


def expect_drawn_anew(student: Student, generator: torch.Generator, n: int) -> None:
    """Rows of one width differ, and all that a generator argument promises."""
    (seed,) = fresh_seeds(generator, 1)
    twice = [row[1] for row in rows_of(student.variance_table([6, 6, 6], n, Seeded(seed)), [6, 6, 6])]
    hint = "draw anew for every row; one generator runs through the whole table"
    expect(len(set(twice)) > 1, "three rows of one width that are all the same", "a sample of its own for each row", hint)
    expect_generator_obeyed(student, "variance_table", ([9, 4, 9], n), generator)


def sampler_disobeys(student: Student, generator: torch.Generator) -> bool:
    """Whether the student's own sampler breaks the promise of a generator argument: that has been paid for there."""
    try:
        expect_generator_obeyed(student, "dot_products", (30, 6), generator)
    except CheckFailed:
        return True
    except StudentFault:
        return False
    return False


def is_own_of_one_width(student: Student, generator: torch.Generator) -> bool:
    """Whether tables of one width are those of the student's sampler from the same states, which are not all the same.

    The global generators are seeded as well, for that is where a sampler may draw from that ignores its own.
    """
    samples: list[Tensor] = []
    for width, n, seed in zip((9, 4, 9), fresh_integers(generator, 12, 40, 3), fresh_seeds(generator, 3), strict=True):
        try:
            drawn = student.ask("dot_products", n, width, Seeded(seed), seed=seed % 2**31).value
            found = student.ask("variance_table", [width], n, Seeded(seed), seed=seed % 2**31).value
        except StudentFault:
            return False
        if not (isinstance(drawn, Tensor) and drawn.dtype.is_floating_point and drawn.numel() > 1):
            return False
        if not agree(as_tensor(rows_of(found, [width])), as_tensor(reference.table_of([(width, drawn)]))):
            return False
        samples.append(drawn.detach().double().reshape(-1)[:2])
    return not agree(samples[0], samples[2])


def estimate_outcomes(student: Student, generator: torch.Generator) -> list[Outcome]:
    """The lesson's widths at n = 10,000: each variance within a fifth of d_k.

    False fail: the fifth is 10.7 standard errors of d_k sqrt((2 + 6 / d_k) / n) at d_k = 4, more beyond. (q · k)^2 has no
    exponential moment, so it is cut off at c: P <= n P(|x| > c) + exp(n (log E[exp(s (x^2 - d_k)); |x| <= c] - 0.2 s d_k)) for
    x = q · k, which at the best s and c is below 1e-20 for either side (computed in tests/test_m2_laws.py); the square of the
    mean takes off a hundredth at most, save with a chance of 1e-20. Power: mean for sum, divided by sqrt(d_k), d_k^2, std for
    variance and the same vector twice (2 d_k) lie ten further such errors outside: missed below 1e-20.
    """
    (seed,) = fresh_seeds(generator, 1)
    rows = table(student, PUBLISHED_WIDTHS, 10_000, seed)
    return [
        Outcome(f"estimate {d:g}", abs(variance / d - 1), 0.2, f"the variance {variance:.4g} at d_k = {d:g}: its parts")
        for d, variance, _ in rows
    ]


@check(
    "variance_table_estimates",
    cell="variance_table",
    points=1,
    uses=USES,
    about="variances of fresh samples at the lesson's widths",
)
def variance_table_estimates(student: Student, generator: torch.Generator) -> None:
    """Number by number where the draws are the reference's or the student's own sampler's; otherwise near d_k, and measured."""
    right, mistake = known_or_own(student, generator, slice(1, 2))
    if right:
        return
    outcomes = estimate_outcomes(student, generator)
    # A float32 variance equals d_k to the last digit with a chance of some 1e-6, at all three widths below 1e-15.
    measured = any(outcome.value != 0 for outcome in outcomes)
    expect(measured, "variances that are d_k exactly", "the variance of a sample", "the theory is what the table is to test")
    for outcome in outcomes:
        if not outcome.passed:
            raise CheckFailed(outcome.about.removesuffix(": its parts"), "a variance near d_k for 10,000 rows", mistake=mistake)


def pair_outcome(student: Student, generator: torch.Generator) -> Outcome:
    """4,500 tables' rows of n = 2 at d_k = 1, where sqrt(2 variance) is exactly Exponential(1): bound 0.0513, false fail 1e-10.

    With n = 2 the unbiased variance is (x_1 - x_2)^2 / 2, and q_1 k_1 - q_2 k_2 has the law of a dot product at d_k = 2. Rows are
    independent, so the test sees the estimator, the law and the independence at once. Distances: divided by n 0.127, uniform
    0.102, normal shortcut 0.123, signs 0.500, theory or any fixed number at least 0.5, theory with noise of a fixed or
    wrong size at least 0.25, a generator that starts again for every row at least 0.5 (all rows are one). The nearest, uniform:
    missed(4500, 0.102, 0.0513) = 2 exp(-23) < 1e-9.
    """
    widths, seeds = [1] * PAIR_ROWS, fresh_seeds(generator, PAIR_CALLS)
    variances = torch.cat([column(table(student, widths, 2, seed), 1) for seed in seeds])
    cdf = partial(reference.magnitude_cdf, d_k=2)
    return law_outcome("pairs", (2 * variances).sqrt(), cdf, "the variances of samples of two")


@check(
    "variance_table_unbiased",
    cell="variance_table",
    points=1,
    uses=USES,
    about="the unbiased variance, of draws with the whole law",
)
def variance_table_unbiased(student: Student, generator: torch.Generator) -> None:
    """Number by number where the draws are the reference's or the student's own sampler's; otherwise by samples of two."""
    right, mistake = known_or_own(student, generator, slice(1, 2))
    if right:
        return
    if mistake:
        raise CheckFailed("a table with a known mistake", "unbiased variances of fresh samples", mistake=mistake)
    expect_outcomes(
        [pair_outcome(student, generator)], "the unbiased variance divides by n - 1; every row is a sample of its own"
    )
