"""Every answer of the zoo earns exactly its points, here and in the sandbox; every check is failed by some wrong answer."""

from __future__ import annotations

import pytest

from grading.course import Plan, find_course, load_plan
from grading.runners import LocalRunner, Runner
from grading.score import score
from grading.trial import as_submission
from grading.verdict import Result, Verdict
from tests.zoo_answers import Answer, read_zoo

SEED_IN_THE_SANDBOX = 1
SEED_HERE = 20_240  # tests/test_chance.py asks every check that draws under many
CASES = [(name, answer) for name in find_course().assignments() for answer in read_zoo(name)]
NAMES = [f"{name}-{answer.path.stem}" for name, answer in CASES]


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    return {name: load_plan(find_course(), name) for name in find_course().assignments()}


def judge(plan: Plan, answer: Answer, runner: Runner, seed: int) -> Result:
    return score(as_submission(plan, answer.path.stem, answer.text, answer.files(plan)), plan, runner, seed).result


def earned(plan: Plan, result: Result) -> dict[str, float | None]:
    return {cell: result.cell_points(cell) for cell in plan.assignment.points}


def failing(result: Result) -> set[str]:
    return {c.check for c in result.checks if c.verdict is not Verdict.PASS}


def expect_as_said(plan: Plan, answer: Answer, result: Result) -> None:
    """The points and the checks that the answer's docstring names; a right answer fails none, a wrong one some."""
    told = [(c.check, c.verdict, c.message) for c in result.checks if c.verdict is not Verdict.PASS]
    assert result.status == "graded", told
    assert earned(plan, result) == answer.expected(plan), told
    assert answer.meant_to_fail(plan) <= failing(result), "the docstring names checks that the answer passes"
    assert answer.right == (not told), told


@pytest.mark.parametrize(("name", "answer"), CASES, ids=NAMES)
def test_an_answer_earns_its_points_in_this_process(plans: dict[str, Plan], name: str, answer: Answer) -> None:
    expect_as_said(plans[name], answer, judge(plans[name], answer, LocalRunner(), SEED_HERE))


@pytest.mark.parametrize(("name", "answer"), CASES, ids=NAMES)
def test_an_answer_earns_the_same_points_in_the_sandbox_under_another_seed(
    plans: dict[str, Plan], sandbox: Runner, name: str, answer: Answer
) -> None:
    expect_as_said(plans[name], answer, judge(plans[name], answer, sandbox, SEED_IN_THE_SANDBOX))


@pytest.mark.parametrize("name", find_course().assignments())
def test_every_check_is_failed_by_some_wrong_answer(plans: dict[str, Plan], name: str) -> None:
    plan = plans[name]
    answers = [answer for answer in read_zoo(name) if not answer.right]
    alive = {check.name for check in plan.assignment.checks}
    for answer in answers:  # that they fail these is what the tests above hold them to
        alive -= answer.meant_to_fail(plan)
    for answer in answers if alive else []:
        alive -= failing(judge(plan, answer, LocalRunner(), SEED_HERE))
    assert not alive


def test_the_zoo_is_large_enough() -> None:
    answers = read_zoo("m1_attention")
    assert sum(a.right for a in answers) >= 15
    assert sum(not a.right for a in answers) >= 30
