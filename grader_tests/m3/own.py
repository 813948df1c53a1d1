"""Errors are paid for once: what the student's own `entropy` makes of scores, where an answer may be built on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from grader_tests.references import entropy as reference
from grader_tests.vocabulary.compositions import depends_on_all
from grader_tests.vocabulary.draws import DRAWN
from grader_tests.vocabulary.inputs import draw
from grading.student import Student, StudentFault

Statistic = Callable[[Tensor], float]
PairOfEntropies = Callable[[Tensor, Tensor], Tensor]
# What stands for NaN where answers are compared: no entropy is as low.
NOT_A_NUMBER = -77.0


def excuses(student: Student, generator: torch.Generator) -> bool:
    """Whether the student's `entropy` is one that others may be built on, and is wrong somewhere: a right one excuses nothing."""
    return is_usable(student, generator) and not is_right(student, generator)


def is_usable(student: Student, generator: torch.Generator) -> bool:
    """Whether the student's `entropy` has numbers for ordinary logits, one row or a batch of one, and changes with them."""
    for shape in ((5,), (1, 5)):
        try:
            first, other = (torch.cat([numbers_in(student.entropy(draw(generator, *shape))) for _ in range(8)]) for _ in range(2))
        except StudentFault:
            continue
        if depends_on_all(first, [other]):
            return True
    return False


def is_right(student: Student, generator: torch.Generator) -> bool:
    """Whether the student's `entropy` is right for rows, tables and batches in float32: ordinary ones, and scores of 300."""
    table = 3 * draw(generator, 6, 5)
    table[1, 0] -= 300
    table[2, 1] += 300
    table[3:5] += torch.tensor([[300.0], [-300.0]])
    given = table.float()
    expected = reference.entropy(given)
    try:
        answers = [student.entropy(given), student.entropy(given[:, None]), *(student.entropy(row) for row in given)]
        found = [numbers_in(answer) for answer in answers]
    except StudentFault:
        return False
    rights = [expected, expected, *expected.reshape(-1, 1)]
    pairs = zip(found, rights, strict=True)
    return all(one.shape == right.shape and bool(((one - right).abs() <= DRAWN).all()) for one, right in pairs)


def as_float(value: object) -> object:
    """A Python number as the tensor that it could have been."""
    return torch.tensor(value, dtype=torch.float64) if isinstance(value, float) else value


def numbers_in(value: object) -> Tensor:
    """(m,): the numbers of a tensor, in float64, NOT_A_NUMBER for NaN and infinity. Raises StudentFault for anything else."""
    found = as_float(value)
    if not isinstance(found, Tensor) or found.is_complex() or not found.numel():
        raise StudentFault("no numbers")
    numbers = found.detach().double().reshape(-1)
    return torch.where(numbers.isfinite(), numbers, NOT_A_NUMBER)


def pairs_of_entropies(student: Student) -> Iterator[PairOfEntropies]:
    """(2,): the student's entropies of raw and scaled scores (n,): as one row, as a batch of one, and both at once."""

    def apart(raw: Tensor, scaled: Tensor) -> Tensor:
        return torch.stack([numbers_in(student.entropy(scores)).mean() for scores in (raw, scaled)])

    def together(raw: Tensor, scaled: Tensor) -> Tensor:
        return numbers_in(student.entropy(torch.stack([raw, scaled]))).expand(2)

    yield apart
    yield lambda raw, scaled: apart(raw.double(), scaled.double())
    yield lambda raw, scaled: apart(raw[None], scaled[None])
    yield lambda raw, scaled: apart(raw[None].double(), scaled[None].double())
    yield together


def mean_entropies(student: Student) -> Iterator[Statistic]:
    """The mean of the student's entropies of scores (n_queries, n_keys), as a table and as a batch of single queries.

    NaN where one of them is NaN.
    """

    def mean_of(scores: Tensor) -> float:
        found = numbers_in(student.entropy(scores))
        return float("nan") if bool((found == NOT_A_NUMBER).any()) else float(found.mean())

    yield mean_of
    yield lambda scores: mean_of(scores[:, None, :])
