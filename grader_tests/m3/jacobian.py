"""Checks of `softmax_jacobian` and `gradient_norm`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from grader_tests.m3.entropies import one_hot_rows, within
from grader_tests.references import entropy as reference
from grader_tests.vocabulary.compositions import agree_in_secret_orders, depends_on_all
from grader_tests.vocabulary.inputs import DTYPES, LEADING, draw, non_contiguous, with_axes
from grader_tests.vocabulary.rules import expect_pure
from grading.checks import CheckFailed, check
from grading.expectations import TOLERANCE, expect, expect_dtype, expect_tensor
from grading.student import Student, StudentFault

# Entries are at most 1/4 and come from weights that sum to one, so tolerances are absolute: near one-hot rows p - p^2 cancels.
FLOAT32, FLOAT64 = 1e-5, TOLERANCE[torch.float64]
# Norms are held to 1e-7 and 1e-5. Sums that cancel lose half the digits under the root: 2e-8 in float64, all of it in float32.
NORM = {torch.float64: 1e-7, torch.float32: 1e-5}
JACOBIAN, NORMS = ("softmax_jacobian",), ("gradient_norm", "softmax_jacobian")


def ordinary_logits(generator: torch.Generator) -> Iterator[Tensor]:
    """Vectors of several lengths; two keys that share nearly all, and equal ones."""
    for n, scale in ((5, 1.0), (2, 1.5), (7, 2.0), (11, 0.7)):
        yield scale * draw(generator, n)
    yield torch.cat([3.0 + 0.2 * draw(generator, 2), -4.0 + draw(generator, 3)])
    yield draw(generator, 1).expand(6).clone()


def jacobian(student: Student, logits: Tensor) -> Tensor:
    """The student's (n, n)."""
    n = len(logits)
    return expect_tensor(student.softmax_jacobian(logits), (n, n), f"the Jacobian for {n} logits")


def expect_entries(student: Student, generator: torch.Generator, on_diagonal: bool) -> None:
    """The entries on the diagonal, or all others, agree to five digits; both dtypes."""
    where = "on" if on_diagonal else "beside"
    for logits in ordinary_logits(generator):
        for dtype in DTYPES:
            given = logits.to(dtype)
            found, expected = jacobian(student, given), reference.softmax_jacobian(given)
            asked = torch.eye(len(given), dtype=torch.bool) == on_diagonal
            right = within(found, expected, FLOAT32)
            if bool(right[asked].all()):
                continue
            mistakes = reference.mistaken_jacobians(given).items()
            known = next((name for name, wrong in mistakes if bool(within(found, wrong, FLOAT32).all())), "")
            came = f"{int((~right[asked]).sum())} of {right[asked].numel()} entries {where} the diagonal differ"
            raise CheckFailed(came, "entry (i, j) is d p_i / d x_j", mistake=known)


@check(
    "softmax_jacobian_diagonal",
    cell="softmax_jacobian",
    points=1,
    uses=JACOBIAN,
    about="the diagonal: what a logit does to its own weight",
)
def softmax_jacobian_diagonal(student: Student, generator: torch.Generator) -> None:
    """p_i (1 - p_i)."""
    expect_entries(student, generator, on_diagonal=True)


@check(
    "softmax_jacobian_off_diagonal",
    cell="softmax_jacobian",
    points=1,
    uses=JACOBIAN,
    about="beside the diagonal: what a logit does to the other weights",
)
def softmax_jacobian_off_diagonal(student: Student, generator: torch.Generator) -> None:
    """-p_i p_j."""
    expect_entries(student, generator, on_diagonal=False)


@check(
    "softmax_jacobian_exact",
    cell="softmax_jacobian",
    points=1,
    uses=JACOBIAN,
    about="one-hot rows, logits of 10,000, one logit alone; digits, dtype, and arguments left alone",
)
def softmax_jacobian_exact(student: Student, generator: torch.Generator) -> None:
    """Entries that are wrong for ordinary logits are the other checks'; here count those that are right to five digits."""
    for row in one_hot_rows(generator):
        for dtype in DTYPES:
            found = jacobian(student, row.to(dtype))
            hint = "exp of a large logit overflows; torch.softmax takes the largest off first"
            expect(bool(found.isfinite().all()), "NaN or infinity in the Jacobian of a one-hot row", "zeros", hint)
            vanished = bool(within(found, torch.zeros_like(found), FLOAT64).all())
            expect(vanished, "a Jacobian of a one-hot row that is not zero", "zeros: no logit can move these weights")
    expect(float(jacobian(student, draw(generator, 1)).abs()) <= FLOAT64, "one logit with a derivative", "zero: its weight is 1")
    for n in (4, 6, 9):  # mild logits, so that no entry is as small as the tolerance of five digits
        logits = 0.4 * draw(generator, n)
        found, expected = jacobian(student, logits), reference.softmax_jacobian(logits)
        right = within(found, expected, FLOAT32)
        expect(bool(within(found, expected, FLOAT64)[right].all()), "entries that have lost digits", "the digits of float64")
    for dtype in DTYPES:
        reply = student.ask("softmax_jacobian", draw(generator, 8, dtype=dtype)[::2])
        expect_dtype(expect_tensor(reply.value, (4, 4), "the Jacobian"), dtype, "the Jacobian")
        expect_pure(reply, "softmax_jacobian")


def norms(student: Student, logits: Tensor) -> Tensor:
    """The student's gradient norms (...) of logits (..., n)."""
    shape = tuple(logits.shape[:-1])
    return expect_tensor(student.gradient_norm(logits), shape, f"the norms{with_axes(shape)}")


def own_norms(student: Student, logits: Tensor) -> Tensor:
    """The Frobenius norms (...) of the student's own Jacobians of logits (..., n), row by row. Raises StudentFault."""
    found = [own_norm(student.softmax_jacobian(row)) for row in logits.reshape(-1, logits.shape[-1])]
    return torch.stack(found).reshape(logits.shape[:-1])


def own_norm(value: Any) -> Tensor:
    """() of whatever a student's Jacobian is, as long as it is a tensor of floats."""
    if not isinstance(value, Tensor) or not value.dtype.is_floating_point:
        raise StudentFault("no Jacobian")
    return value.detach().double().square().sum().sqrt()


def expect_norms(student: Student, logits: Tensor, generator: torch.Generator, hint: str = "") -> bool:
    """Norms (...) that agree with the reference; False where they are those of the student's own, wrong Jacobian.

    Known mistakes are not looked for where a hint is given: several are near zero with norms that are.
    """
    expected, tolerance = reference.gradient_norm(logits), NORM[logits.dtype]
    found = norms(student, logits)
    right = within(found, expected, tolerance)
    if bool(right.all()):
        return True
    if is_own(student, logits, generator):
        return False
    numbers = found.detach().double()
    hint = hint if bool(numbers.isfinite().all()) else "sums that cancel may end below zero, and a root of that is NaN"
    mistakes = {} if hint else reference.mistaken_norms(logits)
    known = next((name for name, wrong in mistakes.items() if bool(within(found, wrong, tolerance).all())), "")
    came = f"{int((~right).sum())} of {right.numel()} norms differ{with_axes(tuple(expected.shape))}"
    raise CheckFailed(came, "the Frobenius norm of diag(p) - p pᵀ", hint, known)


def nearly_one_hot_rows(generator: torch.Generator) -> Tensor:
    """Float32 (8, 5): one logit 11 to 12 above the others. Norms of 2e-5 to 1e-4, where sums that cancel give 0, 2e-4 or NaN."""
    winners = torch.randint(5, (8,), generator=generator)
    rows = 0.1 * draw(generator, 8, 5).clamp(-1, 1)
    rows[torch.arange(8), winners] = 11 + torch.rand(8, generator=generator, dtype=torch.float64)
    return rows.float()


def is_own(student: Student, logits: Tensor, generator: torch.Generator) -> bool:
    """Whether norms are those of the student's own Jacobian, which changes with its argument, here and for rows drawn afresh."""
    try:
        first, other = (own_norms(student, draw(generator, 8, logits.shape[-1])) for _ in range(2))
    except StudentFault:
        return False
    if not depends_on_all(first, [other]):
        return False
    fresh = [draw(generator, *logits.shape).to(logits.dtype) for _ in range(4)]
    trials = [(given,) for given in (logits, *fresh)]

    def asked(given: Tensor) -> Tensor:
        return norms(student, given).double()

    def composed(given: Tensor) -> Tensor:
        return own_norms(student, given)

    return agree_in_secret_orders(asked, composed, trials, generator, 1e-5)


@check(
    "gradient_norm_values",
    cell="gradient_norm",
    points=1,
    uses=NORMS,
    about="the Frobenius norm of the Jacobian, for one row of logits",
)
def gradient_norm_values(student: Student, generator: torch.Generator) -> None:
    """Both dtypes; the reference's, or that of the student's own Jacobian."""
    for logits in ordinary_logits(generator):
        for dtype in DTYPES:
            expect_norms(student, logits.to(dtype), generator)


@check(
    "gradient_norm_batched",
    cell="gradient_norm",
    points=1,
    uses=NORMS,
    about="leading axes, saturated rows, dtype, and arguments left alone",
)
def gradient_norm_batched(student: Student, generator: torch.Generator) -> None:
    """One, two and three leading axes; a few rows that are nearly one-hot, and some that are."""
    right = [expect_norms(student, draw(generator, *leading, 5), generator) for leading in (*LEADING[1:], (5,), (1,))]
    expect_norms(student, non_contiguous(draw(generator, 3, 4, 6)), generator)
    # Norms of some 1e-3 to 1e-2: small, and their squares far above what is left of sums that cancel.
    saturated = torch.cat([draw(generator, 4, 4), 8.0 + draw(generator, 4, 1)], dim=1)
    expect_norms(student, saturated, generator)
    if all(right):
        hint = "in float32 nothing is left of a small norm where sums cancel; square the entries of diag(p) - p pᵀ"
        expect_norms(student, nearly_one_hot_rows(generator), generator, hint)
    for dtype in DTYPES:
        rows = one_hot_rows(generator).to(dtype)
        if all(right):  # else the rest was judged with the Jacobian
            expect_norms(student, rows, generator)
        reply = student.ask("gradient_norm", draw(generator, 3, 4, dtype=dtype))
        expect_dtype(expect_tensor(reply.value, (3,), "the norms"), dtype, "the norms")
        expect_pure(reply, "gradient_norm")
