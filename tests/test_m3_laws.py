"""The questions to collapse_width: their constants by many draws, their false fails derived, their power against wrong laws."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from grader_tests.m3 import laws, own_laws, sides
from grader_tests.m3.laws import Question
from grader_tests.references import entropy as reference
from grader_tests.vocabulary.chances import CHANCE, bernstein, surprise, surprise_limit
from grading.checks import check_generator
from tests.chance.laws import of_entropy, unsurprising

MISSED = 1e-6
Draw = Callable[..., Tensor]


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


def entropies(
    width: int, n_keys: int, count: int, generator: torch.Generator, q: Draw = torch.randn, k: Draw = torch.randn
) -> Tensor:
    """(count,): entropies of queries and keys of any law."""
    queries, keys = q(count, 1, width, generator=generator), k(count, n_keys, width, generator=generator)
    return reference.entropy((queries * keys).sum(dim=-1))


def uniform(*shape: int, generator: torch.Generator) -> Tensor:
    return (2 * torch.rand(*shape, generator=generator) - 1) * math.sqrt(3)


def signs(*shape: int, generator: torch.Generator) -> Tensor:
    return torch.randint(0, 2, shape, generator=generator) * 2.0 - 1.0


@pytest.mark.parametrize("case", laws.ENTROPIES, ids=str)
def test_the_constants_are_those_of_many_draws(case: tuple[int, int], generator: torch.Generator) -> None:
    mean, variance = laws.ENTROPIES[case]
    found = torch.cat([entropies(*case, 50_000, generator) for _ in range(8)])
    # SLACK covers the constant's own error; four standard errors of this estimate come to it.
    assert abs(float(found.mean()) - mean) < laws.SLACK + 4 * math.sqrt(variance / len(found))
    assert float(found.var()) == pytest.approx(variance, rel=0.03)
    # Bernstein bounds |H - E H| by the larger side of [0, log n_keys].
    assert float((found - mean).abs().max()) < math.log(case[1])


def test_the_bound_solves_bernsteins_inequality() -> None:
    for n, variance, width, chance in ((200, 0.15, 1.6, 1e-10), (14_000, 0.123, 1.6, 1e-12)):
        t = bernstein(n, variance, width, chance)
        assert 2 * math.exp(-n * t**2 / (2 * variance + 2 * width * t / 3)) == pytest.approx(chance)


@pytest.mark.parametrize("seed", range(1, 6))
def test_thresholds_of_choice_lie_where_no_sampling_error_reaches(seed: int, generator: torch.Generator) -> None:
    for question in laws.questions_of_choice(check_generator(seed, "x")):
        below = []
        for width in set(question.widths):
            found = entropies(width, question.n_keys, 2_000, generator)
            gap = float(found.mean()) - question.threshold
            noise = 4 * math.sqrt(float(found.var()) / len(found))
            if not math.log(question.n_keys) < question.threshold and question.threshold > 0:
                reach = bernstein(question.n_queries, float(found.var()) * 1.1, math.log(question.n_keys))
                assert abs(gap) > reach + noise, (question, width, gap, reach)
            below += [width] if gap < 0 else []
        assert min(below, default=None) == question.answer


# Power: what a wrong law's mean entropy is, and the chance that it stays on the right side.


def missed(question: Question, found: Tensor) -> float:
    """An upper bound for the chance that a wrong law answers rightly."""
    wrong_side = question.threshold - float(found.mean()) if question.answer is None else float(found.mean()) - question.threshold
    distance = wrong_side - 4 * math.sqrt(float(found.var()) / len(found))
    if distance <= 0:
        return 1.0
    spread = 2 * float(found.var()) + 2 * math.log(question.n_keys) * distance / 3
    return math.exp(-question.n_queries * distance**2 / spread)


def shortcut(count: int, n_keys: int, generator: torch.Generator) -> Tensor:
    return reference.entropy(torch.randn(count, n_keys, generator=generator) * math.sqrt(2))


WRONG: dict[str, Callable[[int, int, torch.Generator], Tensor]] = {
    "uniform": lambda count, n, g: entropies(2, n, count, g, uniform, uniform),
    "uniform queries": lambda count, n, g: entropies(2, n, count, g, uniform),
    "uniform keys": lambda count, n, g: entropies(2, n, count, g, torch.randn, uniform),
    "signs": lambda count, n, g: entropies(2, n, count, g, signs, signs),
    "shortcut": shortcut,
    "scaled": lambda count, n, g: reference.entropy(reference.collapse_scores(2, count, n, g) / math.sqrt(2)),
}


@pytest.mark.parametrize("law", WRONG)
def test_a_wrong_law_is_caught(law: str, generator: torch.Generator) -> None:
    chances = []
    for question in laws.questions_of_law()[:3]:
        found = torch.cat([WRONG[law](50_000, question.n_keys, generator) for _ in range(6)])
        chances.append(missed(question, found))
    assert min(chances) < MISSED, chances


def test_a_median_for_the_mean_is_caught(generator: torch.Generator) -> None:
    high = laws.questions_of_law()[1]
    # The median of n is below the threshold only where half of them are: a binomial count, by Hoeffding's inequality.
    share = float((entropies(2, 5, 300_000, generator) < high.threshold).double().mean())
    assert math.exp(-2 * high.n_queries * (0.5 - share) ** 2) < MISSED * 1000


def test_sharing_is_caught(generator: torch.Generator) -> None:
    question = laws.questions_of_law()[-1]
    n, calls = laws.SHARING_QUERIES, 4_000
    queries, keys = torch.randn(calls, n, 1, generator=generator), torch.randn(calls, 1, 2, generator=generator)
    shared_keys = reference.entropy(queries * keys).mean(dim=1)
    query, keys = torch.randn(calls, 1, 1, generator=generator), torch.randn(calls, n, 2, generator=generator)
    shared_query = reference.entropy(query * keys).mean(dim=1)
    for means in (shared_keys, shared_query):
        share = float((means < question.threshold).double().mean()) - 4 * 0.5 / math.sqrt(calls)
        assert (1 - share) ** laws.SHARING_CALLS < 1e-5


def test_no_check_fails_a_right_answer_by_chance_more_often_than_once_in_1e9(generator: torch.Generator) -> None:
    assert len(laws.questions_of_law()) == 3 + laws.SHARING_CALLS
    by_check: dict[str, float] = defaultdict(float)
    for law in of_entropy(generator):
        by_check[law.check] += law.false_fail
        assert law.false_pass < 1e-5, law
    assert set(by_check) == {"collapse_width_smallest", "collapse_width_draws"}
    assert max(by_check.values()) < 1e-9


def test_pairs_of_widths_favour_neither_width_much(generator: torch.Generator) -> None:
    def mean(scores: Tensor) -> float:
        return float(reference.entropy(scores).mean())

    answers = [q.answer for _ in range(20) for q, _ in laws.pairs_of_widths(mean, generator)]
    assert len(answers) > 20 * laws.FEWEST_PAIRS
    assert 0.25 < sum(answer == 2.0 for answer in answers) / len(answers) < 0.75


# Fresh sides: single queries with two keys, call after call.


def share_below(bound: float) -> float:
    """P(|z z'| < bound): for every z the share of z' below bound / |z|, by the midpoint rule."""
    step = 10 / 400_000
    z = (torch.arange(400_000, dtype=torch.float64) + 0.5) * step
    density = 2 * torch.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return float((density * torch.erf(bound / (z * math.sqrt(2)))).sum() * step)


@pytest.mark.parametrize("bound", sides.SHARES)
def test_the_share_of_products_below_a_bound_is_that_of_their_law(bound: float) -> None:
    assert sides.SHARES[bound] == pytest.approx(share_below(bound), abs=1e-6)


def test_fresh_sides_are_hardly_ever_taken_for_fixed_ones() -> None:
    for error in (-1e-5, 0.0, 1e-5):  # more than the constants are off by
        assert 1 - unsurprising([share + error for share in sides.SHARES.values()]) < CHANCE


def test_no_spread_of_a_single_fresh_side_passes() -> None:
    for spread in torch.logspace(-1.3, 1.3, 150, dtype=torch.float64).tolist():
        assert unsurprising([math.erf(bound / (spread * math.sqrt(2))) for bound in sides.SHARES]) < 1e-8, spread


def is_surprising(products: Tensor) -> bool:
    """(bounds, CALLS): whether a run is one that the check fails."""
    below = [int((found.abs() < bound).sum()) for found, bound in zip(products, sides.SHARES, strict=True)]
    shares = sides.SHARES.values()
    return sum(surprise(count, sides.CALLS, s) for count, s in zip(below, shares, strict=True)) >= surprise_limit(2)


def test_fresh_and_fixed_sides_are_told_apart_in_a_simulation(generator: torch.Generator) -> None:
    for _ in range(500):
        fresh, other = (torch.randn(len(sides.SHARES), sides.CALLS, generator=generator) for _ in range(2))
        fixed = torch.randn(1, generator=generator)
        assert not is_surprising(fresh * other)
        assert is_surprising(fresh * fixed)


# A student's own law.


def test_a_right_sampler_is_hardly_ever_beyond_its_own_law() -> None:
    n, m = own_laws.CALLS, own_laws.DRAWN
    chance = math.prod((n - i) / (m + n - i) for i in range(own_laws.BEYOND))
    assert 2 * len(own_laws.TABLES) * chance < 1e-9


def first_axis(scores: Tensor) -> float:
    return float(reference.spread(torch.softmax(scores, dim=0)).mean())


STATISTICS: dict[str, tuple[Callable[[Tensor], float], bool]] = {
    "right": (lambda scores: float(reference.entropy(scores).mean()), True),
    "bits": (lambda scores: float(reference.entropy(scores).mean()) / math.log(2), True),
    "negative": (lambda scores: -float(reference.entropy(scores).mean()), True),
    "first axis": (first_axis, True),
    "a constant": (lambda scores: 1.0, False),
    "not a number": (lambda scores: math.nan, False),
    "signs alone": (lambda scores: float((scores.sign()).mean()), False),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_a_wrong_entropy_excuses_only_where_it_would_tell_scaled_scores_and_shared_keys(name: str) -> None:
    statistic, telling = STATISTICS[name]
    for seed in range(5):
        law = list(own_laws.extremes(statistic, check_generator(seed, "x")))
        assert own_laws.tells(statistic, law, check_generator(seed, "y")) is telling
        assert (own_laws.question_of_scale(statistic, check_generator(seed, "x")) is not None) is telling


def test_the_direction_of_a_statistic_is_told_where_it_is_one_of_the_difference() -> None:
    found = {name: sides.direction(statistic) for name, (statistic, _) in STATISTICS.items()}
    falling = {"right": -1, "bits": -1, "negative": 1}
    assert found == {name: falling.get(name, 0) for name in STATISTICS}
