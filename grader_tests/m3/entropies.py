"""Checks of `entropy`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import entropy as reference
from grader_tests.vocabulary.inputs import DTYPES, LEADING, draw, non_contiguous, with_axes
from grader_tests.vocabulary.rules import expect_gradients, expect_pure
from grading.checks import CheckFailed, check
from grading.expectations import expect, expect_dtype, expect_tensor
from grading.student import Student, StudentFault

# Float32 sums of some dozens of terms are known to a few 1e-6. A guard of 1e-9 in the logarithm costs 1e-9 for each of n keys.
FLOAT32 = 1e-5
GUARD = 1e-9
NAN_HINT = "0 times log 0 is NaN, and exp of large logits overflows: torch.softmax and torch.log_softmax take care of the second"
USES = ("entropy",)


def within(found: Tensor, expected: Tensor, tolerance: float) -> Tensor:
    """(...): where a number is as near as that, absolutely; NaN is not."""
    return (found.detach().double() - expected.double()).abs() <= tolerance


def expect_entropies(
    value: Any, logits: Tensor, what: str, mistakes: Mapping[str, Tensor] | None = None, tolerance: float = FLOAT32
) -> Tensor:
    """Entropies (...) of logits (..., n) that agree with the reference, absolutely."""
    expected = reference.entropy(logits)
    found = expect_tensor(value, tuple(expected.shape), what)
    right = within(found, expected, tolerance)
    if bool(right.all()):
        return found
    known = next((name for name, wrong in (mistakes or {}).items() if bool(within(found, wrong, tolerance).all())), "")
    numbers = found.detach().double()
    if not bool(numbers.isfinite().all()):
        raise CheckFailed(f"{what}: NaN or infinity", "a finite number for every row", NAN_HINT)
    gap = float((numbers - expected).abs().max())
    came = f"{what}: {int((~right).sum())} of {right.numel()} differ, by up to {gap:.2g}"
    raise CheckFailed(came, "the entropy of softmax(logits), in nats", mistake=known)


def ordinary_rows(generator: torch.Generator) -> Iterator[Tensor]:
    """Vectors of several lengths and spreads; single keys, and equal ones, whose entropy is log n."""
    for n, scale in ((5, 1.0), (2, 2.0), (7, 3.0), (12, 1.5), (9, 0.1)):
        yield scale * draw(generator, n)
    for n in (1, 2, 5, 11):
        yield draw(generator, 1).expand(n).clone()


@check("entropy_values", cell="entropy", points=1, uses=USES, about="the entropy of one row of logits, in nats")
def entropy_values(student: Student, generator: torch.Generator) -> None:
    """Both dtypes, to five digits: finer differences are another check's."""
    for logits in ordinary_rows(generator):
        for dtype in DTYPES:
            given = logits.to(dtype)
            what = f"the entropy of {len(given)} logits"
            expect_entropies(student.entropy(given), given, what, reference.mistaken_entropies(given))


@check(
    "entropy_batched",
    cell="entropy",
    points=1,
    uses=USES,
    about="leading axes, each row alone, gradients and dtype",
)
def entropy_batched(student: Student, generator: torch.Generator) -> None:
    """One, two and three leading axes, also as many rows as keys; then what must hold beside the values."""
    for leading in (*LEADING[1:], (5,), (1,), (4, 1)):
        logits = 2 * draw(generator, *leading, 5)
        what = f"the entropies{with_axes(leading)}"
        expect_entropies(student.entropy(logits), logits, what, reference.mistaken_entropies(logits))
    logits = non_contiguous(draw(generator, 3, 4, 6))
    reply = student.ask("entropy", logits)
    expect_entropies(reply.value, logits, "the entropies of non-contiguous logits")
    expect_pure(reply, "entropy")
    for dtype in DTYPES:
        given = draw(generator, 3, 4, dtype=dtype)
        expect_dtype(expect_tensor(student.entropy(given), (3,), "the entropies"), dtype, "the entropies")
    rows = draw(generator, 4, 6)
    # Lost digits are another check's; a gradient that was cut differs in the first.
    expect_gradients(student, "entropy", (rows,), [()], lambda given: (reference.entropy(given),), generator, FLOAT32)


def one_hot_rows(generator: torch.Generator) -> Tensor:
    """(6, 5): one logit so far above the others that their weights underflow; up to 1e4, of either sign."""
    winners = torch.randint(5, (6,), generator=generator)
    tops = torch.tensor([1e4, 1e4, 0.0, -3e3, 9e3, 1.2e3], dtype=torch.float64)
    below = torch.tensor([1e4, 2e4, 1e4, 7e3, 1.9e4, 1.2e3], dtype=torch.float64)
    rows = (tops - below)[:, None] + draw(generator, 6, 5).round()
    rows[torch.arange(6), winners] = tops
    return rows


def large_rows(generator: torch.Generator) -> Tensor:
    """(8, 6): ordinary rows moved by up to 1e4; in float64 alone, since float32 knows no digit beyond 1e-3 there."""
    offsets = torch.tensor([1e4, -1e4, 9e3, -9e3, 7e3, -7e3, 6e3, -6e3], dtype=torch.float64)
    return draw(generator, 8, 6) + offsets[:, None]


def tied_row(generator: torch.Generator) -> Tensor:
    """Float32 (170,): 163 equal logits near 1e4 and seven far below, so that every right order of operations agrees to 1e-5.

    Near 1e4 float32 numbers lie 2^-10 apart. log 163 lies within 1e-6 of a multiple of that, which no smaller count but 1 does,
    so even logsumexp(x), about 1e4 + log 163, loses no more; and a multiple of 163 makes 1/163 of it whole.
    """
    level = 163.0 * float(torch.randint(59, 68, (1,), generator=generator))
    row = torch.full((170,), level)
    row[torch.randperm(170, generator=generator)[:7]] = -level
    return row


@check(
    "entropy_extremes",
    cell="entropy",
    points=1,
    uses=USES,
    about="one-hot rows and logits of 10,000: finite, and right",
)
def entropy_extremes(student: Student, generator: torch.Generator) -> None:
    """Row by row, both dtypes for one-hot rows; ordinary rows that were moved in float64; a tie in float32; then tables."""
    for row in one_hot_rows(generator):
        for dtype in DTYPES:
            expect_entropies(student.entropy(row.to(dtype)), row.to(dtype), "the entropy of a one-hot row")
    for row in large_rows(generator):
        expect_entropies(student.entropy(row), row, "the entropy of logits near 10,000")
    tied = tied_row(generator)
    expect_entropies(student.entropy(tied), tied, "the entropy of equal logits near 10,000 in float32")
    if not has_tables(student, generator):
        return
    for dtype in DTYPES:
        table = one_hot_rows(generator).to(dtype)
        expect_entropies(student.entropy(table), table, "the entropies of a table of one-hot rows")
    table = large_rows(generator)
    expect_entropies(student.entropy(table), table, "the entropies of a table of logits near 10,000 and -10,000")


def has_tables(student: Student, generator: torch.Generator) -> bool:
    """Whether entropies of ordinary tables are right; else that error is paid for already."""
    for shape in ((6, 5), (8, 6)):
        logits = draw(generator, *shape)
        for dtype in DTYPES:
            try:
                expect_entropies(student.entropy(logits.to(dtype)), logits.to(dtype), "the entropies")
            except (CheckFailed, StudentFault):
                return False
    return True


def exact_rows(generator: torch.Generator) -> Iterator[Tensor]:
    """Rows in which a guard shows, without any underflow.

    Inside the logarithm, log(p + e), a guard takes n e off wherever no weight is small. As a floor, log(max(p, e)), it shows
    where weights lie below e: at p = e / 2.72 it takes e / 2.72 off for each, so that 30 such weights show a floor of 1e-8.
    """
    yield from (scale * draw(generator, n) for n, scale in ((8, 0.3), (20, 0.5), (3, 1.0)))
    for guard in (1e-8, 1e-7, 1e-6):
        small = math.log(guard) - 1 + 0.1 * draw(generator, 30)
        yield torch.cat([small[:10], torch.zeros(1, dtype=torch.float64), small[10:]])


@check(
    "entropy_exact",
    cell="entropy",
    points=1,
    uses=USES,
    about="the digits of float64: no more than a guard of 1e-9 takes off",
)
def entropy_exact(student: Student, generator: torch.Generator) -> None:
    """Absolute 1e-9 (n + 1). Rows near 1e4 count here where they are right to five digits; else they are another check's."""
    for logits in exact_rows(generator):
        mistakes = reference.guarded_entropies(logits)
        limit = GUARD * (len(logits) + 1)
        expect_entropies(student.entropy(logits), logits, f"the entropy of {len(logits)} logits", mistakes, limit)
    for row in large_rows(generator):
        expected = reference.entropy(row)
        found = expect_tensor(student.entropy(row), (), "the entropy of logits near 10,000")
        if bool(within(found, expected, FLOAT32)):
            exact = bool(within(found, expected, GUARD * (len(row) + 1)))
            expect(exact, "the entropy of logits near 10,000 has lost digits", "the digits of float64")
