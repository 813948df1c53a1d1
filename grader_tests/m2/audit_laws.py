"""Statistical tests of `score_audit`, for answers with a draw order of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import torch
from torch import Tensor

from grader_tests.m2.laws import Outcome, calls_outcome, law_outcome, same_law_outcome
from grader_tests.references import variance as reference
from grader_tests.vocabulary.chances import bernstein
from grader_tests.vocabulary.draws import fresh_seeds, running_generator, seeded
from grading.expectations import expect_tensor
from grading.student import Seeded, Student

PAIR_ROWS, PAIR_WIDTH = 1_600, 64
CALL_ROWS = 1_500
# Sizes at which the fewest draws tell the wrong laws from the right one: who draws number by number is to come to an end too.
SPREAD_ROWS, SPREAD_QUERIES, SPREAD_KEYS = 5_000, 1, 4
SHARING_ROWS, SHARING_QUERIES = 1_300, 16
REFERENCE_ROWS = 100_000
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
    """1,500 rows of two calls with one generator, one query and two keys at d_k = 1, by `calls_outcome`: bound 0.0986, 2e-10.

    A raw variance is (q g)^2, q and g independent normal numbers.
    """
    (seed,) = fresh_seeds(generator, 1)
    running = running_generator(student, seed)
    calls = []
    for _ in range(2):
        found = expect_tensor(student.score_audit([1] * CALL_ROWS, 1, 2, running), (CALL_ROWS, 4), "the audit")
        calls.append(found[:, RAW_VARIANCE].detach().double().clamp(min=0).sqrt())
    return calls_outcome(calls[0], calls[1], generator, "the rows of two calls with one generator")


def spread_outcome(student: Student, generator: torch.Generator, *variances: float) -> Outcome:
    """5,000 rows of one query with four keys at d_k = 1, raw variances against 100,000 of the reference: bound 0.0596, 2e-10.

    Here the variance of a sample shows the law of the coordinates: a query's scores are its one coordinate times normal keys.
    With other variances the raw variances are first divided by these. Distances: uniform 0.112, normal
    shortcut 0.328. missed(5000, 0.112, 0.0596) = 2 exp(-27) < 1e-11.
    """
    seed, ours = fresh_seeds(generator, 2)
    found = audit_rows(student, [1] * SPREAD_ROWS, SPREAD_QUERIES, SPREAD_KEYS, seed, *variances)[:, RAW_VARIANCE]
    scores = simulated_scores(1, SPREAD_QUERIES, SPREAD_KEYS, ours)
    laws = reference.pooled_variance(scores), reference.mean_variance(scores)
    return same_law_outcome("spread", found / math.prod(variances), laws, "raw variances of one query with four keys")


def simulated_scores(width: int, n_queries: int, n_keys: int, seed: int) -> Tensor:
    """(REFERENCE_ROWS, n_queries, n_keys): scores of many rows, queries and keys independent throughout."""
    generator = seeded(seed)
    queries = torch.randn(REFERENCE_ROWS, n_queries, 1, width, generator=generator)
    keys = torch.randn(REFERENCE_ROWS, n_queries, n_keys, width, generator=generator)
    return (queries * keys).sum(dim=-1).double()


def sharing_outcomes(
    student: Student, generator: torch.Generator, columns: tuple[int, ...], divisor: Divisor = reference.score_divisor
) -> list[Outcome]:
    """1,300 rows of 16 queries with two keys each, columns against 100,000 rows of the reference: bound 0.106, 2e-10 a column.

    Raw columns at d_k = 1, the scaled weights at d_k = 2 (at 1 they are the raw ones). Both estimators of the variance are right;
    the nearer counts. Distances, the nearer of both: raw variance: keys shared by all queries 0.215, one query for all keys
    0.350, one query's variance alone 0.547, theory or one draw for all rows 0.5. Weights: shared keys 0.282 (scaled 0.215), one
    query 0.282 (scaled 0.210), uniform 0.246 (scaled 0.212), normal shortcut 0.588 (scaled 0.370), the median for the mean 0.481,
    the largest of all 0.986. The nearest, 0.210: missed(1300, 0.210, 0.106) = 2 exp(-28) < 1e-11.
    """
    seed, ours = fresh_seeds(generator, 2)
    width = 2 if SCALED_WEIGHT in columns else 1
    found = audit_rows(student, [width] * SHARING_ROWS, SHARING_QUERIES, 2, seed)
    laws = {column: sharing_laws(column, width, divisor(width, 1.0, 1.0), ours) for column in columns}
    about = f"rows of {SHARING_QUERIES} queries with two keys each"
    return [same_law_outcome(f"sharing {column}", found[:, column], right, about) for column, right in laws.items()]


@lru_cache(maxsize=2)  # for tests/measure_m2.py, which asks many answers with one seed
def sharing_laws(column: int, width: int, divisor: float, seed: int) -> tuple[Tensor, ...]:
    """What is right in one column: (REFERENCE_ROWS,) rows for each right estimator, drawn with this seed."""
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
