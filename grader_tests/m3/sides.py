"""Whether queries and keys are both drawn anew in every call: single queries with two keys, call after call on one generator.

At d_k = 1 with two keys the scores differ by q (k - k') = sqrt(2) z z', where z and z' are independent standard normal numbers,
and the entropy falls as |z z'| grows. So one call says whether |z z'| is beyond a bound. Products have a peak at 0 and long
tails: SHARES of them lie below the two bounds. Where one side is the same in every call, from a seed of its own, the other
alone is left: one normal number, whose spread nobody knows. But no spread has both shares: narrow enough for the first, it has
no tails. The answers of a right sampler are independent, so Chernoff's inequality holds for their counts.

False fails: below 1e-10 (2e-12 by exact sums). Misses: below 1e-8 for every spread, as tests/test_m3_laws.py computes.
"""

from __future__ import annotations

import math

import torch

from grader_tests.m3.answers import width_or_none
from grader_tests.m3.laws import Question
from grader_tests.m3.own import Statistic
from grader_tests.vocabulary.chances import surprise, surprise_limit
from grader_tests.vocabulary.draws import fresh_seeds, running_generator
from grading.expectations import expect
from grading.student import Student

# P(|z z'| < bound), the integral of (2 / pi) K_0 from 0.
SHARES = {0.2: 0.348305, 2.3: 0.956391}
CALLS = 900
# Score differences and common offsets at which a statistic must be a falling or rising function of the difference alone.
DIFFERENCES, OFFSETS = (0.1, 0.35, 1.0, 2.0, 3.3, 4.5), (-2.0, 0.0, 1.0)


def direction(statistic: Statistic) -> int:
    """-1 for a statistic that falls as two scores move apart, whatever they are, 1 for one that rises, 0 for any other."""
    rows = []
    for offset in OFFSETS:
        for sign in (1, -1):
            rows.append([statistic(torch.tensor([[offset, offset + sign * gap]])) for gap in DIFFERENCES])
    found = torch.tensor(rows, dtype=torch.float64)
    if not bool(((found - found[0]).abs() < 1e-5).all()):  # not so for NaN
        return 0
    steps = found[0].diff()
    return int(steps.sign()[0]) if bool((steps.sign() == steps.sign()[0]).all() & (steps.abs() > 1e-3).all()) else 0


def expect_fresh_sides(student: Student, statistic: Statistic, generator: torch.Generator) -> None:
    """Counts of answers as products of two fresh normal numbers have them; asked where the statistic can tell."""
    turns = direction(statistic)
    if not turns or ignores_keys(student, statistic, turns, generator):
        return
    total = 0.0
    for (bound, share), seed in zip(SHARES.items(), fresh_seeds(generator, len(SHARES)), strict=True):
        threshold = statistic(torch.tensor([[0.0, math.sqrt(2) * bound]]))
        question, running = Question((1,), threshold, 1, 2), running_generator(student, seed)
        below = sum(width_or_none(student, question, running) is not None for _ in range(CALLS))
        total += surprise(below, CALLS, share if turns > 0 else 1 - share)
    expect(
        total < surprise_limit(len(SHARES)),
        "single queries, call after call, whose entropies do not spread as those of fresh queries with fresh keys",
        "queries and keys that are both drawn anew in every call",
        "are the queries or the keys drawn from a seed of their own, and so the same every time?",
    )


def ignores_keys(student: Student, statistic: Statistic, turns: int, generator: torch.Generator) -> bool:
    """Whether the mean is beyond what two keys can have, as with more keys than were asked for: that is paid for elsewhere."""
    equal = statistic(torch.zeros(1, 2))
    question = Question((1,), equal - turns * 0.02 * abs(equal), 200, 2)
    below = width_or_none(student, question, *fresh_seeds(generator, 1)) is not None
    return below == (turns > 0)
