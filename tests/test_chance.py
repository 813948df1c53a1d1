"""Neither error by chance: every check that draws, under two hundred seeds, and how the rest is computed."""

from __future__ import annotations

import math
import os

import pytest
import torch

from grading.course import find_course, load_plan
from tests.chance.counts import count_all, drawing_checks, nearest_wrong, tasks
from tests.chance.laws import STATISTICAL
from tests.chance.margins import Margins, pareto_of, recorded, tail_chance
from tests.zoo_answers import read_zoo

SEEDS = 200
NAMES = find_course().assignments()


@pytest.mark.parametrize("name", NAMES)
def test_under_two_hundred_seeds_no_check_fails_the_solution_and_none_passes_its_nearest_wrong_answer(name: str) -> None:
    found = list(count_all([name], 1, SEEDS, len(os.sched_getaffinity(0))))
    assert found
    assert [(task.check, task.answer, counted.turned) for task, counted in found if counted.turned] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_check_that_draws_has_a_nearest_wrong_answer_that_is_there(name: str) -> None:
    checks = {check.name for check in drawing_checks(load_plan(find_course(), name))}
    assert set(nearest_wrong(name)) == checks
    assert set(nearest_wrong(name).values()) <= {answer.path.stem for answer in read_zoo(name) if not answer.right}


@pytest.mark.parametrize("name", STATISTICAL)
def test_the_statistical_tests_belong_to_checks_that_draw(name: str) -> None:
    laws = list(STATISTICAL[name](torch.Generator().manual_seed(6050)))
    assert {law.check for law in laws} <= {task.check for task in tasks(name, 1, 1)}
    assert math.fsum(law.false_fail for law in laws) < 1e-8


# How margins are noted, and what is made of them.


def test_comparisons_are_noted_wherever_they_are_asked_and_only_meanwhile() -> None:
    from grader_tests.vocabulary import shares
    from grading import expectations

    before = shares.close, expectations.close
    one = torch.ones(2, dtype=torch.float64)
    with recorded() as margins:
        assert shares.close(one + 1e-10, one, 1e-9)
        assert not expectations.close(one + 4e-9, one, 1e-9)
        assert not expectations.close(torch.ones(3), one, 1e-9)
    assert margins.ratios == pytest.approx([0.05, 2.0], rel=1e-3)
    assert (shares.close, expectations.close) == before


def test_margins_are_those_of_the_comparison_that_decides() -> None:
    assert Margins([0.0, 0.25, 4.0]).of_a_right_answer == 0.25
    assert Margins([0.1, 1.25, 1e9]).of_a_right_answer == 0.8
    assert Margins([0.1, 8.0, 1.5]).of_a_wrong_answer == 0.125
    assert Margins([0.1]).of_a_wrong_answer == Margins([]).of_a_right_answer == 0.0


@pytest.mark.parametrize("power", [1.5, 3.0, 8.0])
def test_the_chance_of_a_tail_is_an_upper_estimate_of_a_power(power: float) -> None:
    """Fifty samples of m^-power beyond 1/1000: hardly an estimate lies below the truth, and none too far above."""
    generator = torch.Generator().manual_seed(6050)
    truth = 0.001**power
    found = []
    for _ in range(50):
        margins = 0.001 * (1 - torch.rand(4_000, generator=generator, dtype=torch.float64)) ** (-1 / power)
        found.append(tail_chance(margins.clamp(max=0.999).tolist()))
    assert sum(estimate < truth for estimate in found) <= 1  # three standard errors: one of 700 on this side
    assert max(found) < max(truth**0.3, 1e-6)  # the three standard errors leave a power of 6 at most


@pytest.mark.parametrize("shape", [-0.5, 0.0, 0.3])
def test_the_law_of_excesses_is_found_again(shape: float) -> None:
    generator = torch.Generator().manual_seed(6050)
    uniform = torch.rand(200_000, generator=generator, dtype=torch.float64)
    excesses = 2.5 * (-uniform.log() if shape == 0 else (uniform**-shape - 1) / shape)
    assert pareto_of(excesses) == pytest.approx((shape, 2.5), abs=0.03)  # 1.2 / sqrt(200,000) is 0.003


def test_a_bounded_error_has_hardly_a_tail_and_one_that_turned_has_all_of_it() -> None:
    margins = (0.02 * torch.rand(10_000, generator=torch.Generator().manual_seed(1), dtype=torch.float64)).tolist()
    assert tail_chance(margins) < 1e-10
    assert tail_chance([*margins, 1.0]) == 1.0
    assert tail_chance([0.0] * 200) == 0.0
    with pytest.raises(ValueError, match="a hundred"):
        tail_chance([0.1] * 99)
