"""The questions to collapse_width: their constants by many draws, their false fails derived, their power against wrong laws."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from grader_tests.m3 import laws
from grader_tests.m3.laws import Question
from grader_tests.references import entropy as reference
from grader_tests.vocabulary.chances import CHANCE, bernstein
from grading.checks import check_generator

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


def test_all_questions_of_law_together_fail_a_right_answer_hardly_ever() -> None:
    questions = laws.questions_of_law()
    assert len(questions) == 3 + laws.SHARING_CALLS
    assert 3 * CHANCE + CHANCE < 1e-9


def test_pairs_of_widths_favour_neither_width_much(generator: torch.Generator) -> None:
    def mean(scores: Tensor) -> float:
        return float(reference.entropy(scores).mean())

    answers = [q.answer for _ in range(20) for q, _ in laws.pairs_of_widths(mean, generator)]
    assert len(answers) > 20 * laws.FEWEST_PAIRS
    assert 0.25 < sum(answer == 2.0 for answer in answers) / len(answers) < 0.75
