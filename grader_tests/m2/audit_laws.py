"""Statistical tests of `score_audit`, for answers with a draw order of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import torch
from torch import Tensor

from grader_tests.m2.laws import Outcome, law_outcome, same_law_outcome
from grader_tests.references import variance as reference
from grader_tests.vocabulary.chances import bernstein
from grader_tests.vocabulary.draws import fresh_seeds, running_generator, seeded
from grading.expectations import expect_tensor
from grading.student import Seeded, Student

PAIR_ROWS, PAIR_WIDTH = 1_600, 64
CALL_ROWS, CALL_REFERENCE = 1_500, 100_000
SPREAD_ROWS, SPREAD_QUERIES, SPREAD_KEYS = 4_000, 2, 16
SHARING_ROWS, SHARING_QUERIES, SHARING_REFERENCE = 700, 50, 10_000
RAW_VARIANCE, SCALED_VARIANCE, RAW_WEIGHT, SCALED_WEIGHT = range(4)
CHAPTER_QUERIES, CHAPTER_KEYS = 4_000, 16
# Mean and variance of a query's largest weight among 16 keys, unscaled, by millions of draws: the mean to 3e-4 and better.
CHAPTER_WEIGHTS = {8: (0.5636, 0.0490), 32: (0.7781, 0.0412)}
Divisor = Callable[[int, float, float], float]


def audit_rows(student: Student, widths: list[int], n_queries: int, n_keys: int, seed: int, *variances: float) -> Tensor:
    """(len(widths), 4), in float64."""
    found = student.score_audit(widths, n_queries, n_keys, Seeded(seed), *variances)
    return expect_tensor(found, (len(widths), 4), "the audit").detach().double()


def pair_outcomes(student: Student, generator: torch.Generator) -> list[Outcome]:
    """1,600 rows with one query and two keys at d_k = 64, where sqrt(raw variance) has the law of |q . k|: bound 0.0861, 1e-10.

    Two scores have the unbiased variance (q . (k_1 - k_2))^2 / 2, and (k_1 - k_2) / sqrt(2) is a standard normal vector. The
    same for 200 rows at d_k = 2, between them: bound 0.244, 1e-10. Distances at 64: divided by n 0.166, a fixed number 0.5,
    all rows one draw 0.5. The nearest: missed(1600, 0.166, 0.0861) = 2 exp(-20.4) < 1e-8.
    """
    (seed,) = fresh_seeds(generator, 1)
    widths = [PAIR_WIDTH] * 8 + [2]
    found = audit_rows(student, widths * (PAIR_ROWS // 8), 1, 2, seed)[:, 0].clamp(min=0).sqrt().reshape(-1, 9)
    samples = ((PAIR_WIDTH, found[:, :8].reshape(-1)), (2, found[:, 8]))
    return [
        law_outcome(f"pairs {d}", sample, partial(reference.magnitude_cdf, d_k=d), f"raw variances of two scores at d_k = {d}")
        for d, sample in samples
    ]


def call_outcome(student: Student, generator: torch.Generator) -> Outcome:
    """1,500 rows of two calls with one generator, one query and two keys at d_k = 1: the ratio of their raw variances.

    A raw variance is (q g)^2, q and g independent normal numbers, so that its logarithm's difference between the calls has a law
    of variance 2 pi^2, and half of that where queries or keys begin anew in every call: sizes at distance 0.179, against
    a bound of 0.0986, 2e-10. missed(1500, 0.179, 0.0986) = 2 exp(-19.3) < 1e-8.
    """
    seed, ours = fresh_seeds(generator, 2)
    running = running_generator(student, seed)
    calls = []
    for _ in range(2):
        found = expect_tensor(student.score_audit([1] * CALL_ROWS, 1, 2, running), (CALL_ROWS, 4), "the audit")
        calls.append(found[:, RAW_VARIANCE].detach().double())
    right = torch.randn(4, CALL_REFERENCE, generator=seeded(ours), dtype=torch.float64).square().log()
    law = (right[0] + right[1] - right[2] - right[3]).abs()
    ratio = (calls[0].clamp(min=1e-30).log() - calls[1].clamp(min=1e-30).log()).abs()
    return same_law_outcome("calls", ratio, [law], "the rows of two calls with one generator")


def spread_outcome(student: Student, generator: torch.Generator, *variances: float) -> Outcome:
    """4,000 rows of two queries with 16 keys at d_k = 1, raw variances against 10,000 of the reference: bound 0.089, 2e-10.

    Here the variance of a sample shows the law of the coordinates: a query's scores are its one coordinate times normal keys.
    With other variances the raw variances are first divided by these. Distances, from the nearer estimator: uniform 0.143, normal
    shortcut 0.43. missed(4000, 0.143, 0.089) = 2 exp(-23) < 1e-9.
    """
    seed, ours = fresh_seeds(generator, 2)
    found = audit_rows(student, [1] * SPREAD_ROWS, SPREAD_QUERIES, SPREAD_KEYS, seed, *variances)[:, RAW_VARIANCE]
    scores = simulated_scores(1, SPREAD_QUERIES, SPREAD_KEYS, ours)
    laws = reference.pooled_variance(scores), reference.mean_variance(scores)
    return same_law_outcome("spread", found / math.prod(variances), laws, "raw variances of two queries with 16 keys each")


def simulated_scores(width: int, n_queries: int, n_keys: int, seed: int) -> Tensor:
    """(SHARING_REFERENCE, n_queries, n_keys): scores of many rows, queries and keys independent throughout."""
    generator = seeded(seed)
    queries = torch.randn(SHARING_REFERENCE, n_queries, 1, width, generator=generator)
    keys = torch.randn(SHARING_REFERENCE, n_queries, n_keys, width, generator=generator)
    return (queries * keys).sum(dim=-1).double()


def sharing_outcomes(
    student: Student, generator: torch.Generator, columns: tuple[int, ...], divisor: Divisor = reference.score_divisor
) -> list[Outcome]:
    """700 rows of 50 queries with two keys each, columns against 10,000 rows of the reference: bound 0.165, 2e-10 a column.

    Raw columns at d_k = 1, the scaled weights at d_k = 2 (at 1 they are the raw ones). Both estimators of the variance are right;
    the nearer counts. Distances, the nearer of both: raw variance: keys shared by all queries 0.347, one query for all keys
    0.468, one query's variance alone 0.646, theory or one draw for all rows 0.5. Weights: shared keys 0.354 (scaled 0.31), one
    query 0.354 (scaled 0.31), uniform 0.413, normal shortcut 0.847, the median for the mean 0.639, the largest of all 0.9. The
    nearest, 0.31: missed(700, 0.31, 0.165) = 2 exp(-29) < 1e-12.
    """
    seed, ours = fresh_seeds(generator, 2)
    width = 2 if SCALED_WEIGHT in columns else 1
    found = audit_rows(student, [width] * SHARING_ROWS, SHARING_QUERIES, 2, seed)
    laws = {column: sharing_laws(column, width, divisor(width, 1.0, 1.0), ours) for column in columns}
    about = "rows of 50 queries with two keys each"
    return [same_law_outcome(f"sharing {column}", found[:, column], right, about) for column, right in laws.items()]


@lru_cache(maxsize=2)  # for tests/measure_m2.py, which asks many answers with one seed
def sharing_laws(column: int, width: int, divisor: float, seed: int) -> tuple[Tensor, ...]:
    """What is right in one column: (SHARING_REFERENCE,) rows for each right estimator, drawn with this seed."""
    scores = simulated_scores(width, SHARING_QUERIES, 2, seed)
    if column == RAW_VARIANCE:
        return reference.pooled_variance(scores), reference.mean_variance(scores)
    return (reference.mean_largest_weight(scores / (divisor if column == SCALED_WEIGHT else 1.0)),)


def chapter_outcomes(student: Student, generator: torch.Generator) -> list[Outcome]:
    """The chapter's mean largest weights at d_k = 8 and 32, 4,000 queries with 16 keys: within 0.027 and 0.025.

    A largest weight lies in [1/16, 1]; Bernstein: P(|mean - E| >= t) <= 2 exp(-n t^2 / (2 v + 2 b t / 3)), b = 15/16. Solved for
    1e-10, and 3e-4 added for the constant. Power: scaled scores (0.24), another width's or no sum over the coordinates lie 0.2
    or more outside, where the same inequality for their law gives less than 1e-100.
    """
    (seed,) = fresh_seeds(generator, 1)
    found = audit_rows(student, list(CHAPTER_WEIGHTS), CHAPTER_QUERIES, CHAPTER_KEYS, seed)[:, 2]
    return [
        Outcome(
            f"chapter {d}",
            abs(float(mean) - expected),
            bernstein(CHAPTER_QUERIES, variance, 15 / 16) + 3e-4,
            f"the weights at d_k = {d}",
        )
        for mean, (d, (expected, variance)) in zip(found, CHAPTER_WEIGHTS.items(), strict=True)
    ]
