"""Every answer of the zoo earns exactly its points, locally and in the sandbox; every check is failed by some wrong answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grading.course import Plan, find_course, load_plan
from grading.runners import LocalRunner, Runner
from grading.score import score
from grading.trial import as_submission
from grading.verdict import Result, Verdict
from tests.zoo_answers import Answer, read_zoo

SEEDS = (1, 20_240, 987_654_321)
CASES = [(name, answer) for name in find_course().assignments() for answer in read_zoo(name)]
NAMES = [f"{name}-{answer.path.stem}" for name, answer in CASES]


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    return {name: load_plan(find_course(), name) for name in find_course().assignments()}


def judge(plan: Plan, answer: Answer, runner: Runner, seed: int) -> Result:
    return score(as_submission(plan, answer.path.stem, answer.text, answer.files(plan)), plan, runner, seed).result


def earned(plan: Plan, result: Result) -> dict[str, float | None]:
    return {cell: result.cell_points(cell) for cell in plan.assignment.points}


@pytest.mark.parametrize(("name", "answer"), CASES, ids=NAMES)
def test_an_answer_earns_its_points_in_this_process_under_three_seeds(plans: dict[str, Plan], name: str, answer: Answer) -> None:
    plan = plans[name]
    for seed in SEEDS:
        result = judge(plan, answer, LocalRunner(), seed)
        told = [(c.check, c.verdict, c.message) for c in result.checks if c.verdict is not Verdict.PASS]
        assert earned(plan, result) == answer.expected(plan), told
        passed = {c.check for c in result.checks if c.verdict is Verdict.PASS}
        assert not answer.meant_to_fail(plan) & passed, "the docstring names checks that the answer passes"


@pytest.mark.parametrize(("name", "answer"), CASES, ids=NAMES)
def test_an_answer_earns_the_same_points_in_the_sandbox(
    plans: dict[str, Plan], sandbox: Runner, name: str, answer: Answer
) -> None:
    plan = plans[name]
    result = judge(plan, answer, sandbox, SEEDS[0])
    assert result.status == "graded"
    told = [(c.check, c.verdict, c.message) for c in result.checks if c.verdict is not Verdict.PASS]
    assert earned(plan, result) == answer.expected(plan), told


@pytest.mark.parametrize("name", find_course().assignments())
def test_every_check_is_failed_by_some_wrong_answer_and_right_answers_fail_none(plans: dict[str, Plan], name: str) -> None:
    plan = plans[name]
    failed = {check.name: 0 for check in plan.assignment.checks}
    for answer in read_zoo(name):
        fallen = list(failing(judge(plan, answer, LocalRunner(), SEEDS[0])))
        assert not (answer.right and fallen), f"{answer.path.name} fails {fallen}"
        assert answer.right or fallen, f"{answer.path.name} fails nothing"
        for check in fallen:
            failed[check] += 1
    assert [check for check, count in failed.items() if not count] == []


def failing(result: Result) -> Iterator[str]:
    return (c.check for c in result.checks if c.verdict is not Verdict.PASS)


def test_the_zoo_is_large_enough() -> None:
    answers = read_zoo("m1_attention")
    assert sum(a.right for a in answers) >= 15
    assert sum(not a.right for a in answers) >= 30
