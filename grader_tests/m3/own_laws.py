"""What a student's own mean entropies are for a right sampler, known from draws on this side alone, whatever `entropy` is.

**Own law.** The mean entropies of DRAWN tables on this side and of CALLS tables that a right sampler draws are exchangeable. That
BEYOND of the latter are below the lowest of the former has the chance product((CALLS - i) / (DRAWN + CALLS - i), i < BEYOND),
2e-11, and no law needs to be known for it. An answer says whether one table's mean is below the lowest, or above the highest.

An `entropy` may be so wrong that scaled scores, or keys that all queries share, have the same law. What cannot be told is not
excused: the sampler might be wrong as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from grader_tests.m3.answers import width_or_none
from grader_tests.m3.laws import FAR, REPLICATES, Question
from grader_tests.m3.own import Statistic
from grader_tests.references import entropy as reference
from grader_tests.vocabulary.draws import fresh_seeds
from grading.student import Student

Table = tuple[int, int, int]
Extremes = tuple[Table, float, float]
Sampler = Callable[[int, int, int, torch.Generator], Tensor]
DRAWN, CALLS, BEYOND = 200, 48, 14
# Width, queries and keys of a table: few queries, since a right answer may be slow.
TABLES = ((2, 300, 5), (1, 300, 2))
# Where raw and scaled scores may be so far apart that one call tells them: many widths, since a wrong entropy may fail at some.
SCALES = ((4, 2_000, 5), (1024, 200, 5), (64, 400, 5), (16, 400, 40))


def scaled_scores(width: int, n_queries: int, n_keys: int, draws: torch.Generator) -> Tensor:
    """(n_queries, n_keys): the mistake of dividing by the root of the width."""
    return reference.collapse_scores(width, n_queries, n_keys, draws) / math.sqrt(width)


def shared_key_scores(width: int, n_queries: int, n_keys: int, draws: torch.Generator) -> Tensor:
    """(n_queries, n_keys): the mistake of one set of keys for all queries."""
    queries, keys = torch.randn(n_queries, width, generator=draws), torch.randn(n_keys, width, generator=draws)
    return queries @ keys.T


def drawn_means(statistic: Statistic, sampler: Sampler, table: Table, count: int, draws: torch.Generator) -> Tensor:
    """(count,): a statistic of tables that are drawn again and again."""
    return torch.tensor([statistic(sampler(*table, draws)) for _ in range(count)], dtype=torch.float64)


def extremes(statistic: Statistic, draws: torch.Generator) -> Iterator[Extremes]:
    """Tables with the lowest and highest of DRAWN means, a little further out for rounding; none where one of them is NaN."""
    for table in TABLES:
        means = drawn_means(statistic, reference.collapse_scores, table, DRAWN, draws)
        low, high = float(means.min()), float(means.max())
        slack = 1e-6 + 1e-3 * (high - low)
        if bool(means.isfinite().all()):
            yield table, low - slack, high + slack


def is_own(student: Student, statistic: Statistic, draws: torch.Generator) -> bool:
    """Whether answers keep to the own law of a statistic that would tell them from those of known mistakes."""
    law = list(extremes(statistic, draws))
    return tells(statistic, law, draws) and keeps(student, law, draws)


def tells(statistic: Statistic, law: Sequence[Extremes], draws: torch.Generator) -> bool:
    """Whether scaled scores and shared keys would both be found out by this statistic's own law."""
    told = set()
    for table, low, high in law:
        for wrong in (scaled_scores, shared_key_scores):
            means = drawn_means(statistic, wrong, table, CALLS, draws)
            if max(int((means < low).sum()), int((means > high).sum())) >= BEYOND:
                told.add(wrong)
    return len(told) == 2


def keeps(student: Student, law: Sequence[Extremes], draws: torch.Generator) -> bool:
    """Whether fewer than BEYOND of CALLS answers are beyond either end, for every table."""
    for (width, n_queries, n_keys), low, high in law:
        for threshold, expected_below in ((low, False), (high, True)):
            question, seeds = Question((width,), threshold, n_queries, n_keys), fresh_seeds(draws, CALLS)
            below = [width_or_none(student, question, seed) is not None for seed in seeds]
            if sum(one != expected_below for one in below) >= BEYOND:
                return False
    return True


def question_of_scale(statistic: Statistic, draws: torch.Generator) -> Question | None:
    """One width whose mean is surely on one side of the threshold, and surely on the other where scores are scaled.

    Each mean lies FAR of its standard deviations away. None where no width is so.
    """
    for table in SCALES:
        raw = drawn_means(statistic, reference.collapse_scores, table, REPLICATES, draws)
        scaled = drawn_means(statistic, scaled_scores, table, REPLICATES, draws)
        gap = float(scaled.mean() - raw.mean())
        reach = FAR * float(raw.std() + scaled.std()) + 1e-6
        if abs(gap) > reach:  # not so for NaN
            threshold = float(raw.mean()) + gap * float((FAR * raw.std() + 5e-7) / reach)
            width, n_queries, n_keys = table
            return Question((width,), threshold, n_queries, n_keys, float(width) if gap > 0 else None)
    return None
