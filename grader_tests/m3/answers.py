"""What `collapse_width` answers: one of the widths, or None."""

from __future__ import annotations

from torch import Tensor

from grader_tests.m3.laws import Question
from grading.checks import CheckFailed
from grading.expectations import describe
from grading.student import Kept, Seeded, Student, StudentError


def asked_width(student: Student, question: Question, draws: int | Kept) -> float | None:
    """The student's answer for a seed or a running generator: a number, or None. Raises CheckFailed for anything else."""
    more = () if question.defaults else (question.n_queries, question.n_keys)
    generator = Seeded(draws) if isinstance(draws, int) else draws
    return number_or_none(student.collapse_width(list(question.widths), question.threshold, generator, *more))


def number_or_none(value: object) -> float | None:
    """A number, whatever its type, or None."""
    if isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex():
        value = value.item()
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise CheckFailed(f"the width as {describe(value)}", "one of the widths, or None where no width collapses")
    return float(value) if abs(value) < 1e300 else float("inf")


def width_or_none(student: Student, question: Question, draws: int | Kept) -> float | None:
    """The same as asked_width, with an error in the place of None told as None: that costs a point in the other check."""
    try:
        return asked_width(student, question, draws)
    except StudentError as error:
        if "NotImplementedError" in error.classes:
            raise
        return None
