"""What an audit is asked, what is right in it number by number, and which mistakes are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader_tests.m2.formulas import finite_number, one_changed
from grader_tests.references import variance as reference
from grader_tests.references.attention import softmax
from grader_tests.vocabulary.draws import agree, common_mistake, fresh_integers, fresh_seeds, seeded
from grading.checks import CheckFailed
from grading.expectations import expect_tensor
from grading.student import Seeded, Student, StudentFault

Divisor = Callable[[int, float, float], float]
MEANINGS = (
    "raw variance",
    "scaled variance",
    "mean largest weight of the raw scores",
    "mean largest weight of the scaled scores",
)


@dataclass(frozen=True)
class Setting:
    """The arguments of one audit."""

    widths: Sequence[int]
    n_queries: int
    n_keys: int
    seed: int
    var_q: float = 1.0
    var_k: float = 1.0


def audit(student: Student, setting: Setting) -> Tensor:
    """(len(widths), 4): what the student's audit returns, in float64."""
    variances = (setting.var_q, setting.var_k) if (setting.var_q, setting.var_k) != (1.0, 1.0) else ()
    arguments = (list(setting.widths), setting.n_queries, setting.n_keys, Seeded(setting.seed), *variances)
    # The global generators are seeded too: who draws from them by mistake has lost a point for it, and is to lose no other.
    value = student.ask("score_audit", *arguments, seed=setting.seed % 2**31).value
    return expect_tensor(value, (len(setting.widths), 4), "the audit").detach().double()


def right_audits(setting: Setting, divisor: Divisor = reference.score_divisor) -> Iterator[Tensor]:
    """The audits that are right for one setting: with the pooled variance, and with means of variances."""
    for variance in (reference.pooled_variance, reference.mean_variance, reference.mean_variance_by_key):
        generator = seeded(setting.seed)
        yield torch.stack([reference.audit_row(s, c, variance) for s, c in drawn_scores(setting, generator, divisor)])


def drawn_scores(setting: Setting, generator: torch.Generator, divisor: Divisor) -> Iterator[tuple[Tensor, float]]:
    """For each width the reference's scores (n_queries, n_keys), and the divisor."""
    variances = (setting.var_q, setting.var_k)
    for width in setting.widths:
        scores = reference.audit_scores(width, setting.n_queries, setting.n_keys, generator, *variances)
        yield scores, divisor(width, *variances)


def fresh_settings(generator: torch.Generator) -> Iterator[Setting]:
    """Small audits: with sizes that all differ, with equal ones, and with one key a query."""
    for n_queries, n_keys in ((3, 5), (7, 2), (1, 4), (4, 9), (5, 5), (3, 1)):
        widths, (seed,) = [*fresh_integers(generator, 2, 40, 2), 11], fresh_seeds(generator, 1)
        yield Setting(widths, n_queries, n_keys, seed % 2**31)  # as the global generators are seeded, in `audit`


def own_divisor(student: Student) -> Divisor:
    """The student's own divisor, where it depends on each argument; the right one otherwise.

    A divisor that ignores the variances is used as it is where they are one and stand at their defaults.
    """

    def divide_by(d_k: int, var_q: float, var_k: float) -> float:
        plain = (var_q, var_k) == (1.0, 1.0)
        case = (d_k,) if plain else (d_k, var_q, var_k)
        try:
            own, *others = (finite_number(student.score_divisor(*given)) for given in (case, *one_changed(case)))
        except StudentFault:
            own, others = None, []
        usable = own is not None and own > 0 and all(other is not None and other != own for other in others)
        return own if usable and own is not None else reference.score_divisor(d_k, var_q, var_k)

    return divide_by


def keeps_the_order(student: Student, generator: torch.Generator, column: int) -> tuple[bool, str]:
    """Whether a column is the reference's number by number, with the right divisor or the student's own; and a known mistake."""
    own = own_divisor(student)
    mistakes: list[list[str]] = []
    kept, broken = list[Setting](), list[Setting]()
    for setting in fresh_settings(generator):
        found = audit(student, setting)[:, column]
        rights = [right for divisor in (reference.score_divisor, own) for right in right_audits(setting, divisor)]
        if any(agree_where_defined(found, right[:, column]) for right in rights):
            kept.append(setting)
            continue
        broken.append(setting)
        known = mistaken_columns(setting, column).items()
        mistakes.append([name for name, wrong in known if agree(found, wrong)])
    return not mistakes, common_mistake(mistakes) or broken_sizes(kept, broken)


def broken_sizes(kept: Sequence[Setting], broken: Sequence[Setting]) -> str:
    """The mistake of an audit that is the reference's number by number for several queries and keys, and another elsewhere.

    Draws in another order may coincide with the reference's where one query or one key leaves no order to choose; where there are
    several of both, and widths that are no multiple of what torch draws at once, they do not.
    """
    if broken and any(min(setting.n_queries, setting.n_keys) > 1 for setting in kept):
        sizes = ", ".join(f"n_queries = {setting.n_queries} with n_keys = {setting.n_keys}" for setting in broken)
        return f"the column is right for some sizes and wrong for others: look at {sizes}"
    return ""


def agree_where_defined(found: Tensor, right: Tensor) -> bool:
    """Whether numbers come from the same draws; where an estimator has no value, both have none."""
    undefined = found.isnan() & right.isnan()
    return agree(found.masked_fill(undefined, 0.0), right.masked_fill(undefined, 0.0))


def mistaken_columns(setting: Setting, column: int) -> dict[str, Tensor]:
    """One column (len(widths),) of known mistakes, by the name a student reads."""
    right = next(right_audits(setting))
    scores = list(drawn_scores(setting, seeded(setting.seed), reference.score_divisor))
    size = setting.n_queries * setting.n_keys
    squared = next(right_audits(setting, lambda *case: reference.score_variance(*case)))
    named = {
        "the scores are not scaled: this column is the raw one's": right[:, column - 1 if column % 2 else column],
        "the scores are divided by d_k; its root is asked for": squared[:, column],
        "raw and scaled columns have changed places": right[:, column + 1 - column % 2],
        "the columns stand in another order: variances first, then weights": right[:, {1: 2, 2: 1}.get(column, column)],
        "the variance divides by the number of scores; the unbiased one divides by one less": right[:, column]
        * (size - 1)
        / size,
        "the softmax runs over the queries; each query's weights run over its keys": torch.stack(
            [softmax((s / (c if column % 2 else 1.0)).T).T.max(dim=-1).values.mean() for s, c in scores]
        ),
        "the largest of all weights is taken; each query's largest is averaged": torch.stack(
            [softmax(s / (c if column % 2 else 1.0)).max() for s, c in scores]
        ),
    }
    return {name: wrong for name, wrong in named.items() if not agree(wrong, right[:, column])}


def expect_known(mistake: str, column: int) -> None:
    """A column that equals a known mistake is told so."""
    if mistake:
        raise CheckFailed(
            f"the column of the {MEANINGS[column]} is that of a known mistake", "the audit as described", mistake=mistake
        )
