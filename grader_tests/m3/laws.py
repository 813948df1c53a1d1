"""Questions to `collapse_width` whose answers no sampling error reaches, and how far that holds.

A call returns one width or None: for a single width one bit, whether the mean entropy of many queries is below a threshold. The
mean of n independent entropies, each between 0 and log n_keys, keeps to its expectation as Bernstein's inequality says
(`vocabulary.chances`), so a threshold `bernstein(n, variance, log n_keys)` away is crossed by a right answer with a chance of
1e-10 at most, in whatever order it draws. All questions of one check together: below 1e-9.

**Laws.** Coordinates that are uniform, signs, normal on one side only, or a normal number in the place of the dot product have
the right variance and another mean entropy. At d_k = 2 with 5 keys the right mean is 1.207; uniform 1.165, uniform queries 1.168,
signs 1.115, shortcut 1.123: all below the threshold 1.188 of 18,000 queries. Uniform keys alone (1.205 there) show with 40 keys:
3.11 against 2.962, above the threshold 3.051 of 3,000. So does the median for the mean: 1.31 and 3.12.

**Sharing.** Where all queries share their keys, or all keys one query, the mean has the right expectation and does not settle: at
d_k = 1 with 2 keys every fourth call is far below it, so that of 48 calls some is with a chance of 1 - 5e-7. Of a right answer
none is: its entropies are independent.

tests/test_m3_laws.py computes the constants again, and the power against each of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from grader_tests.references import entropy as reference
from grader_tests.vocabulary.chances import CHANCE, bernstein
from grader_tests.vocabulary.draws import seeded

# Mean and variance of one query's entropy by (d_k, n_keys), of millions of draws: the mean to some 3e-4.
ENTROPIES = {(2, 5): (1.2072, 0.1230), (2, 40): (2.9617, 0.3840), (1, 2): (0.5795, 0.0272)}
SLACK = 1e-3
SHARING_CALLS, SHARING_QUERIES = 48, 600
# Who judges by a single query answers rightly three times out of five, and 24 times over with a chance of 1e-5.
REPEATED = 12
# How often a student's own statistic is drawn, and how many of its standard deviations a threshold lies away: Student's t with 19
# degrees of freedom exceeds 16 with a chance of 2e-12.
REPLICATES, FAR = 20, 16.0
PAIRS, FEWEST_PAIRS = 60, 40


# One query's entropy at d_k = 2 with 5 keys is below this every second time; the mean of 200 is, four standard errors away.
MIDDLE, SINGLES = 1.3066, 40


@dataclass(frozen=True)
class Question:
    """The arguments of one call, its answer, and what known mistakes answer."""

    widths: tuple[int, ...]
    threshold: float
    n_queries: int = 200
    n_keys: int = 5
    answer: float | None = None
    mistakes: Mapping[float | None, str] = field(default_factory=dict)
    named: bool = False

    @property
    def defaults(self) -> bool:
        """Whether queries and keys are left to their defaults: where they can be, and are not to be named."""
        return (self.n_queries, self.n_keys) == (200, 5) and not self.named


def questions_of_choice(generator: torch.Generator) -> list[Question]:
    """Widths in several orders, thresholds between means that lie far apart.

    Mean entropies with 5 keys at d_k = 2, 4, 16, 64, 1024: 1.21, 0.98, 0.52, 0.25, 0.06; with 40 keys at 2 and 64: 2.96 and 0.53.
    """
    first, largest = "this is the first collapsed width in the list; the smallest by value is asked for", "this is the largest"
    keys, scaled = "are n_keys keys drawn for every query?", "are the scores scaled? the unscaled ones are asked for"
    place = float(0.04 * torch.rand(1, generator=generator, dtype=torch.float64))

    def shuffled(*widths: int) -> tuple[int, ...]:
        return tuple(widths[i] for i in torch.randperm(len(widths), generator=generator).tolist())

    middle = [Question(shuffled(2, 16, 64), 0.84 + place, 200, 5, 16.0, {64.0: largest, None: scaled}) for _ in range(REPEATED)]
    wide = [Question(shuffled(2, 4, 64), 0.58 + place, 200, 5, 64.0, {None: scaled}) for _ in range(REPEATED)]
    return [
        Question((64, 16, 2), 0.84 + place, 200, 5, 16.0, {64.0: first, None: scaled, 2.0: "is the mean that of the entropies?"}),
        *middle,
        *wide,
        Question(shuffled(2, 4), 0.48 + place, 600, 5, None),
        Question((16,), 0.0, 200, 5, None),
        Question((7, 30, 5, 11), math.log(5) + 0.1 + place, 200, 5, 5.0, {7.0: first, 30.0: largest}),
        Question((64, 2, 2), 1.9 + place, 400, 40, 64.0, {2.0: keys}),
        Question((2, 1024), 0.6 + place, 200, 5, 1024.0, {None: "0 times log 0 is NaN, and NaN is below nothing"}),
    ]


def questions_of_law() -> list[Question]:
    """One width each, and thresholds on both sides of its mean entropy; then many calls, of which none is far below."""
    mean, variance = ENTROPIES[2, 5]
    low = mean - SLACK - bernstein(18_000, variance, math.log(5))
    high = mean + SLACK + bernstein(2_500, variance, math.log(5))
    more, more_variance = ENTROPIES[2, 40]
    more_high = more + SLACK + bernstein(3_000, more_variance, math.log(40))
    return [
        Question((2,), low, 18_000, 5, None),
        Question((2,), high, 2_500, 5, 2.0),
        Question((2,), more_high, 3_000, 40, 2.0),
    ] + [Question((1,), sharing_threshold(), SHARING_QUERIES, 2, None)] * SHARING_CALLS


def sharing_threshold() -> float:
    """What no call of a right answer is below, save with a chance of 1e-10 for all of them together."""
    mean, variance = ENTROPIES[1, 2]
    return mean - SLACK - bernstein(SHARING_QUERIES, variance, math.log(2), CHANCE / SHARING_CALLS)


def pairs_of_widths(statistic: Callable[[Tensor], float], generator: torch.Generator) -> list[tuple[Question, int]]:
    """Questions with seeds: two widths with few queries, and a threshold midway between what the order of draws gives for them.

    Who draws in that order finds the one with the lower mean, every time; who draws in another, or from another law, does so by
    chance: 60 times with 2^-50 or so, since neither width is favoured much. Pairs whose means are too near are left out.
    """
    pairs = []
    for seed in torch.randint(2**62, (PAIRS,), generator=generator).tolist():
        widths, draws = ((2, 3), (3, 2))[seed % 2], seeded(seed)
        means = {width: statistic(reference.collapse_scores(width, 3, 4, draws)) for width in widths}
        low, high = sorted(means.values())
        if high - low > 1e-3 * (abs(low) + abs(high)):  # not so for NaN
            lower = next(width for width in widths if means[width] == low)
            pairs.append((Question(widths, (low + high) / 2, 3, 4, float(lower)), seed))
    return pairs


def answers_in_order(
    questions: Sequence[Question], seeds: Sequence[int], statistic: Callable[[Tensor], float]
) -> list[float | None]:
    """What a statistic answers for the draws in their order."""
    found = []
    for question, seed in zip(questions, seeds, strict=True):
        draws = seeded(seed)
        sizes = question.n_queries, question.n_keys
        means = [(float(width), statistic(reference.collapse_scores(width, *sizes, draws))) for width in question.widths]
        found.append(min((width for width, mean in means if mean < question.threshold), default=None))
    return found


def replicates(statistic: Callable[[Tensor], float], width: int, n_queries: int, n_keys: int, draws: torch.Generator) -> Tensor:
    """(REPLICATES,): a statistic of scores that are drawn again and again."""
    scores = (reference.collapse_scores(width, n_queries, n_keys, draws) for _ in range(REPLICATES))
    return torch.tensor([statistic(drawn) for drawn in scores], dtype=torch.float64)


def standing(question: Question, width: int, statistic: Callable[[Tensor], float], seed: int) -> bool | None:
    """Whether a statistic of a width is surely below the question's threshold, or surely not; None where chance decides."""
    found = replicates(statistic, width, question.n_queries, question.n_keys, seeded(seed + width))
    if bool(found.isnan().all()):  # NaN is below nothing
        return False
    gap = float(found.mean()) - question.threshold
    reach = FAR * float(found.std()) + 1e-6
    return None if not abs(gap) > reach else gap < 0
