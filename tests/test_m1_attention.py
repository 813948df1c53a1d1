"""Checks of m1_attention under many seeds: right answers always pass, no input comes twice, a mistake is called by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from grader_tests.references import attention as reference
from grader_tests.vocabulary.inputs import DTYPES, SIZES, draw, draw_attention_inputs
from grading.checks import check_generator
from grading.course import Plan
from grading.expectations import TOLERANCE
from grading.messages import Explanation
from grading.student import local_student
from grading.verdict import Verdict
from tests.interviews import (
    SEEDS,
    asked,
    assert_all_differ,
    assert_inputs_follow_the_seed,
    assert_no_shared_inputs,
    fallen,
    hint,
    mistaken,
    solved_names,
)
from tests.zoo_answers import Answer, read_zoo

RIGHT = [answer for answer in read_zoo("m1_attention") if answer.right]
UNCHANGING = {"attention_published", "hard_lookup_ties", "claims_seven", "claims_all"}  # they ask what is known to everyone


@pytest.fixture(scope="module")
def solved(plan: Plan) -> dict[str, Any]:
    return solved_names(plan)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_solved_notebook_passes_every_check_under_any_seed(plan: Plan, solved: dict[str, Any], seed: int) -> None:
    assert fallen(asked(plan, solved, seed)) == []


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.path.stem)
def test_a_right_answer_is_never_told_of_a_mistake(
    plan: Plan, solved: dict[str, Any], answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    names = dict(solved)
    exec(answer.text, names)
    for seed in SEEDS[3:6]:
        assert fallen(asked(plan, names, seed, {"attention_answer": answer.text})) == []


# Right answers made of the references.


def right_names() -> dict[str, Any]:
    """The references as answers, in the dtype of their inputs."""

    def keeping(function: Callable[..., Any]) -> Callable[..., Any]:
        def answer(first: Tensor, *rest: Any) -> Any:
            found = function(first, *rest)
            return tuple(t.to(first.dtype) for t in found) if isinstance(found, tuple) else found.to(first.dtype)

        return answer

    names = ("additive_scores", "self_attention", "cross_attention", "soft_lookup", "hard_lookup")
    others = {"attention": keeping(lambda Q, K, V, d_k: reference.attention(Q, K, V)), "weighted_value": lambda W, V, i: W[i] @ V}
    return {name: keeping(getattr(reference, name)) for name in names} | others


def test_the_references_themselves_pass_all_checks_but_the_claims(plan: Plan) -> None:
    for check in plan.assignment.checks:
        if check.cell != "m1_claims":
            result = check.run(local_student(right_names(), check.cell), 5, Explanation({}))
            assert result.verdict is Verdict.PASS, result.message


def test_hidden_inputs_differ_by_seed_and_repeat_with_it(plan: Plan) -> None:
    assert_inputs_follow_the_seed(plan, right_names(), UNCHANGING)


def test_no_two_checks_share_an_input_that_was_drawn(plan: Plan) -> None:
    assert_no_shared_inputs(plan, right_names(), UNCHANGING)


# Mistakes and their names.


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_known_mistakes_of_attention_differ_from_the_right_weights_and_from_each_other(sizes: Any) -> None:
    for seed in SEEDS:
        for dtype in DTYPES:
            inputs = draw_attention_inputs(check_generator(seed, "x"), sizes, (), dtype)
            assert_all_differ(reference.attention(*inputs)[1], reference.mistaken_attention(*inputs), TOLERANCE[dtype])


def test_known_mistakes_of_additive_scores_differ_from_the_right_ones_and_from_each_other() -> None:
    for seed in SEEDS:
        inputs = additive_inputs(seed)
        scores = reference.mistaken_additive_scores(*inputs)
        assert_all_differ(reference.additive_scores(*inputs), scores, TOLERANCE[torch.float32])


def additive_inputs(seed: int) -> list[Tensor]:
    generator = check_generator(seed, "x")
    return [draw(generator, *shape) for shape in ((3, 4), (5, 6), (4, 7), (6, 7), (7,))]


ATTENTION_MISTAKES = list(reference.mistaken_attention(*(torch.ones(2, 2),) * 3))
ADDITIVE_MISTAKES = list(reference.mistaken_additive_scores(*additive_inputs(1)))
LOOKUP_MISTAKES: dict[str, Callable[..., Tensor]] = {
    "the temperature divides the dot products; here it multiplies them": lambda q, k, v, t: torch.softmax(k @ q * t, 0) @ v,
    "the scale sqrt(d) has no place here": lambda q, k, v, t: torch.softmax(k @ q / t / 2, 0) @ v,
}


def told(plan: Plan, check_name: str, seed: int, **names: Any) -> str:
    """The hint that a check gives to answers that are given by name; the others are right."""
    return hint(plan, check_name, seed, right_names() | names)


@pytest.mark.parametrize("mistake", ATTENTION_MISTAKES)
def test_a_mistake_of_attention_is_called_by_its_name(plan: Plan, mistake: str) -> None:
    def attention(Q: Tensor, K: Tensor, V: Tensor, d_k: int) -> tuple[Tensor, Tensor]:
        weights = reference.mistaken_attention(Q, K, V)[mistake].to(Q.dtype)
        return weights @ V, weights

    for seed in SEEDS[:5]:
        for name in ("attention_values", "attention_batched"):
            assert told(plan, name, seed, attention=attention) == mistake


@pytest.mark.parametrize("mistake", ADDITIVE_MISTAKES)
def test_a_mistake_of_additive_scores_is_called_by_its_name(plan: Plan, mistake: str) -> None:
    additive_scores = mistaken(reference.mistaken_additive_scores, mistake)
    assert told(plan, "additive_values", 1, additive_scores=additive_scores) == mistake


@pytest.mark.parametrize("mistake", LOOKUP_MISTAKES)
def test_a_mistake_of_the_lookup_is_called_by_its_name(plan: Plan, mistake: str) -> None:
    for seed in SEEDS[:5]:
        assert told(plan, "soft_lookup_values", seed, soft_lookup=LOOKUP_MISTAKES[mistake]).startswith(mistake)


def test_a_row_of_the_values_is_called_by_its_name(plan: Plan) -> None:
    assert told(plan, "weighted_value", 1, weighted_value=lambda W, V, i: V[i]) == "this is the row of V, not the average"


def test_a_mistake_that_no_one_knows_is_given_no_name(plan: Plan) -> None:
    def attention(Q: Tensor, K: Tensor, V: Tensor, d_k: int) -> tuple[Tensor, Tensor]:
        weights = torch.softmax(Q @ K.mT / 3.3, dim=-1)
        return weights @ V, weights

    for seed in SEEDS[:5]:
        assert told(plan, "attention_values", seed, attention=attention) == ""


def test_weights_before_the_output_are_told_in_every_check_that_sees_both(plan: Plan) -> None:
    right = right_names()["attention"]
    names = right_names() | {"attention": lambda *given: right(*given)[::-1]}
    for check in plan.assignment.checks:
        if check.cell == "attention":
            message = check.run(local_student(names, "attention"), 1, Explanation({})).message
            assert "Came back: the weights, then the output" in message, message


def test_a_complex_answer_is_not_the_real_one(plan: Plan) -> None:
    soft_lookup = right_names()["soft_lookup"]
    assert told(plan, "soft_lookup_values", 1, soft_lookup=lambda *given: soft_lookup(*given) + 0j) == ""
