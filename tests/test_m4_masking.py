"""Checks of m4_masking under many seeds: right answers always pass, no input comes twice, a mistake is called by its name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from grader_tests.m4.batches import CASES, NARROW_CASES, draw_batch, draw_logits, draw_mixed_batch, draw_targets, draw_valid
from grader_tests.m4.causal import SIZES as CAUSAL_SIZES
from grader_tests.m4.guards import LARGE, SMALL, faulty_inputs, more_faulty_inputs
from grader_tests.m4.loss import LENGTHS
from grader_tests.references import masking as reference
from grader_tests.vocabulary.inputs import DTYPES, draw, draw_attention_inputs
from grader_tests.vocabulary.refusals import wording
from grader_tests.vocabulary.shares import close_where_real
from grading.checks import check_generator
from grading.course import Plan, find_course, load_plan
from grading.expectations import TOLERANCE
from grading.messages import Explanation
from grading.notebooks import grade_id
from grading.runners import plain_python
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

NAME = "m4_masking"
RIGHT = [answer for answer in read_zoo(NAME) if answer.right]
UNCHANGING = {"masked_attention_published", "m4_claims_seven", "m4_claims_all"}  # they ask what is known to everyone


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(find_course(), NAME)


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
        assert fallen(asked(plan, names, seed)) == []


def test_the_zoo_is_large_enough() -> None:
    assert len(RIGHT) >= 15
    assert len(read_zoo(NAME)) - len(RIGHT) >= 60


# Right answers made of the references.


def guarded(queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor) -> tuple[Tensor, Tensor]:
    """The reference behind the five guards."""
    faults = {
        "axes": any(t.ndim != 3 for t in (queries, keys, values)),
        "widths": queries.shape[-1] != keys.shape[-1],
        "pairs": keys.shape[:2] != values.shape[:2],
        "mask": key_is_valid.shape != keys.shape[:2] or key_is_valid.dtype != torch.bool,
        "no key": key_is_valid.ndim == 2 and not bool(key_is_valid.any(dim=-1).all()),
    }
    for fault, found in faults.items():
        if found:
            raise ValueError(fault)
    context, weights = reference.masked_attention(queries, keys, values, key_is_valid)
    return context.to(queries.dtype), weights.to(queries.dtype)


def guarded_mask(lengths: Tensor, max_len: int) -> Tensor:
    if bool(((lengths < 1) | (lengths > max_len)).any()):
        raise ValueError("a length lies outside")
    return reference.padding_mask(lengths, max_len)


def guarded_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    if bool((targets == pad_id).all()):
        raise ValueError("nothing but padding")
    return reference.masked_cross_entropy(logits, targets, pad_id).to(logits.dtype)


def causal(Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    output, weights = reference.causal_attention(Q, K, V)
    return output.to(Q.dtype), weights.to(Q.dtype)


def right_names() -> dict[str, Any]:
    """The references as answers, in the dtype of their inputs."""
    return {
        "padding_mask": guarded_mask,
        "causal_mask": reference.causal_mask,
        "masked_attention": guarded,
        "causal_attention": causal,
        "zero_score_leak": lambda scores, valid: reference.zero_score_leak(scores, valid).to(scores.dtype),
        "masked_cross_entropy": guarded_loss,
    }


def test_the_references_themselves_pass_all_checks_but_the_claims(plan: Plan) -> None:
    for check in plan.assignment.checks:
        if check.cell != "m4_claims":
            result = check.run(local_student(right_names(), check.cell), 5, Explanation({}))
            assert result.verdict is Verdict.PASS, result.message


# Hidden inputs.


def test_hidden_inputs_differ_by_seed_and_repeat_with_it(plan: Plan) -> None:
    assert_inputs_follow_the_seed(plan, right_names(), UNCHANGING)


def test_no_two_checks_share_an_input_that_was_drawn(plan: Plan) -> None:
    assert_no_shared_inputs(plan, right_names(), UNCHANGING)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_faulty_input_has_its_one_fault_and_every_drawn_one_has_none(seed: int) -> None:
    for size in (LARGE, SMALL):
        batch = draw_batch(check_generator(seed, "x"), *size)
        guarded(*batch)
        for inputs in (faulty_inputs(batch), more_faulty_inputs(batch)):
            for examples in inputs.values():
                for arguments in examples:
                    with pytest.raises(ValueError):  # noqa: PT011
                        guarded(*arguments)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_every_example_that_is_drawn_has_a_real_key_and_mostly_padding(n: int) -> None:
    for seed in SEEDS:
        valid = draw_valid(check_generator(seed, "x"), 5, n)
        counts = valid.sum(dim=1)
        assert bool((counts >= 1).all())
        assert n == 1 or bool((counts < n).all())


@pytest.mark.parametrize("seed", SEEDS)
def test_mixed_batches_have_padding_two_real_keys_in_every_example_and_every_key_somewhere(seed: int) -> None:
    generator = check_generator(seed, "x")
    for B, sizes in (*CASES, *NARROW_CASES, LARGE, SMALL, (4, CASES[0][1])):
        valid = draw_mixed_batch(generator, B, sizes)[3]
        assert bool(((valid.sum(dim=1) >= 2) & (valid.sum(dim=1) < sizes.T_k)).all())
        assert bool(valid.any(dim=0).all())


# Messages of errors.


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("bad input", "bad input", "bad input"),
        ("fault 3", "fault 3", "fault 3"),
        ("width 4, not 7", "width 5, not 9", "width #, not #"),
        ("shapes (3, 5, 9) and (3, 7, 9)", "shapes (2, 4, 8) and (2, 6, 8)", "shapes # and #"),
        ("shapes torch.Size([5, 9])", "shapes torch.Size([4, 8])", "shapes torch.Size(#)"),
        ("2 axes: (5, 9)", "2 axes: (4, 8)", "2 axes: #"),
        ("one 1", "two", "one #"),
    ],
)
def test_two_messages_of_one_fault_have_their_wording_in_common(first: str, second: str, same: str) -> None:
    assert wording(first, second) == same


# Mistakes and their names.


def alike(value: Tensor, another: Tensor, tolerance: float) -> bool:
    """Agreement in what both have a value for."""
    return close_where_real(value[value.isfinite()], another[value.isfinite()], tolerance)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_known_mistakes_differ_from_what_is_right_and_from_each_other(dtype: torch.dtype) -> None:
    for seed in SEEDS:
        generator = check_generator(seed, "x")
        batch = draw_batch(generator, *CASES[0], dtype)
        assert_all_differ(
            reference.masked_attention(*batch)[1], reference.mistaken_masked_attention(*batch), TOLERANCE[dtype], alike
        )
        sequences = draw_attention_inputs(generator, CAUSAL_SIZES[0], (2,), dtype)
        right = reference.causal_attention(*sequences)[1]
        assert_all_differ(right, reference.mistaken_causal_attention(*sequences), TOLERANCE[dtype], alike)
        scores, valid = draw(generator, 4, 3, 6, dtype=dtype), draw_valid(generator, 4, 6)
        assert_all_differ(
            reference.zero_score_leak(scores, valid), reference.mistaken_leaks(scores, valid), TOLERANCE[dtype], alike
        )
        logits, targets = draw_logits(generator, 4, 6, 9, dtype), draw_targets(generator, LENGTHS, 6, 9, 3)
        losses = reference.mistaken_cross_entropies(logits, targets, 3)
        assert_all_differ(reference.masked_cross_entropy(logits, targets, 3), losses, TOLERANCE[dtype], alike)


def told(plan: Plan, check_name: str, seed: int, **names: Any) -> str:
    """The hint that a check gives to answers that are given by name; the others are right."""
    return hint(plan, check_name, seed, right_names() | names)


def test_mistakes_of_masked_attention_are_called_by_their_names(plan: Plan) -> None:
    for mistake in reference.mistaken_masked_attention(*draw_batch(check_generator(1, "x"), *CASES[0])):

        def masked_attention(*batch: Tensor, mistake: str = mistake) -> tuple[Tensor, Tensor]:
            weights = reference.mistaken_masked_attention(*batch)[mistake].to(batch[0].dtype)
            return weights @ batch[2], weights

        for seed in SEEDS[:3]:
            assert told(plan, "masked_attention_values", seed, masked_attention=masked_attention) == mistake


def test_mistakes_of_causal_attention_are_called_by_their_names(plan: Plan) -> None:
    for mistake in reference.mistaken_causal_attention(*draw_attention_inputs(check_generator(1, "x"), CAUSAL_SIZES[0])):

        def causal_attention(Q: Tensor, K: Tensor, V: Tensor, mistake: str = mistake) -> tuple[Tensor, Tensor]:
            weights = reference.mistaken_causal_attention(Q, K, V)[mistake].to(Q.dtype)
            return weights @ V, weights

        for seed in SEEDS[:3]:
            for name in ("causal_attention_values", "causal_attention_batched"):
                assert told(plan, name, seed, causal_attention=causal_attention) == mistake


def test_mistakes_of_the_leak_and_the_loss_are_called_by_their_names(plan: Plan) -> None:
    generator = check_generator(1, "x")
    leaks = reference.mistaken_leaks(draw(generator, 4, 3, 6), draw_valid(generator, 4, 6))
    losses = reference.mistaken_cross_entropies(draw_logits(generator, 4, 6, 9), draw_targets(generator, LENGTHS, 6, 9, 3), 3)
    for seed in SEEDS[:3]:
        for mistake in leaks:
            wrong = mistaken(reference.mistaken_leaks, mistake)
            assert told(plan, "zero_score_leak_values", seed, zero_score_leak=wrong) == mistake
        for mistake in losses:
            wrong = mistaken(reference.mistaken_cross_entropies, mistake)
            assert told(plan, "masked_cross_entropy_values", seed, masked_cross_entropy=wrong) == mistake


@pytest.mark.parametrize(
    ("mask", "name"),
    [
        (lambda lengths, n: torch.arange(n) >= lengths[:, None], "the mask is upside down"),
        (lambda lengths, n: torch.arange(n) <= lengths[:, None], "the mask is one position too long"),
        (lambda lengths, n: torch.arange(1, n + 1) < lengths[:, None], "the mask is one position too short"),
        (lambda lengths, n: torch.arange(n) >= n - lengths[:, None], "real positions come first"),
    ],
)
def test_mistakes_of_the_padding_mask_are_called_by_their_names(plan: Plan, mask: Callable[..., Tensor], name: str) -> None:
    for seed in SEEDS[:3]:
        assert told(plan, "padding_mask_values", seed, padding_mask=mask).startswith(name)


@pytest.mark.parametrize(
    ("mask", "name"),
    [
        (lambda T: torch.ones(T, T).triu(1).bool(), "the mask is upside down"),
        (lambda T: torch.ones(T, T).triu().bool(), "the triangle is turned"),
        (lambda T: torch.ones(T, T).tril(-1).bool(), "the diagonal is missing"),
        (lambda T: torch.ones(T, T).bool(), "every key is visible"),
    ],
)
def test_mistakes_of_the_causal_mask_are_called_by_their_names(plan: Plan, mask: Callable[..., Tensor], name: str) -> None:
    for seed in SEEDS[:3]:
        assert told(plan, "causal_mask_values", seed, causal_mask=mask).startswith(name)


def test_a_mistake_that_no_one_knows_is_given_no_name(plan: Plan) -> None:
    def masked_attention(*batch: Tensor) -> tuple[Tensor, Tensor]:
        scores = (batch[0] @ batch[1].mT / 3.3).masked_fill(~batch[3][:, None], -math.inf)
        return scores.softmax(-1) @ batch[2], scores.softmax(-1)

    for seed in SEEDS[:3]:
        assert told(plan, "masked_attention_values", seed, masked_attention=masked_attention) == ""


def test_nan_is_explained_where_no_mistake_is_known(plan: Plan) -> None:
    def masked_attention(*batch: Tensor) -> tuple[Tensor, Tensor]:
        weights = (batch[0] @ batch[1].mT + batch[3][:, None] * -math.inf).softmax(-1)
        return weights @ batch[2], weights

    assert told(plan, "masked_attention_values", 1, masked_attention=masked_attention).startswith("NaN comes from a row")


def test_weights_before_the_context_are_told_in_every_check_that_sees_both(plan: Plan) -> None:
    names = right_names()
    swapped = {
        "masked_attention": lambda *given: names["masked_attention"](*given)[::-1],
        "causal_attention": lambda *given: names["causal_attention"](*given)[::-1],
    }
    for check in plan.assignment.checks:
        if check.cell in swapped and "guards" not in check.name:
            message = check.run(local_student(names | swapped, check.cell), 1, Explanation({})).message
            assert "Came back: the weights, then the" in message, message


# Errors are paid for once.


def test_a_wrong_helper_that_ignores_its_mask_or_always_says_the_same_excuses_nothing(plan: Plan) -> None:
    def attention(Q: Tensor, K: Tensor, V: Tensor, *mask: Tensor) -> tuple[Tensor, Tensor]:
        weights = (Q @ K.mT / K.shape[-1] ** 0.5).softmax(-1)
        return weights @ V, weights

    names = right_names() | {
        "causal_mask": lambda T: torch.ones(T, T).bool(),
        "masked_attention": attention,
        "causal_attention": attention,
    }
    for check in plan.assignment.checks_of("causal_attention"):
        assert check.run(local_student(names, check.cell), 1, Explanation({})).verdict is Verdict.FAIL


def test_a_loss_anywhere_between_the_guarded_and_the_plain_one_is_right(plan: Plan) -> None:
    for guard in (0.0, 1e-12, 1e-9):
        names = right_names() | {"masked_cross_entropy": guarded_logarithm(guard)}
        values, properties, _ = plan.assignment.checks_of("masked_cross_entropy")
        assert values.run(local_student(names, values.cell), 1, Explanation({})).verdict is Verdict.PASS
        result = properties.run(local_student(names, properties.cell), 1, Explanation({}))
        finite = guard > 0  # without one, the logarithm of an underflowed share is infinite
        assert (result.verdict is Verdict.PASS) is finite, result.message
    assert told(plan, "masked_cross_entropy_values", 1, masked_cross_entropy=guarded_logarithm(1e-6)) in (
        "",
        *reference.mistaken_cross_entropies(draw_logits(check_generator(1, "x"), 1, 1, 2), torch.tensor([[0]]), 1),
    )


def guarded_logarithm(guard: float) -> Callable[..., Tensor]:
    def loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
        if bool((targets == pad_id).all()):
            raise ValueError("nothing but padding")
        shares = logits.softmax(-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
        return -(shares[targets != pad_id] + guard).log().mean()

    return loss


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.path.stem)
def test_the_visible_asserts_accept_every_right_answer(
    plan: Plan, solved: dict[str, Any], answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    names = dict(solved)
    exec(answer.text, names)
    for cell in plan.blueprint.notebook.cells:
        if cell.id == "demo-inputs" or grade_id(cell) in plan.assignment.points:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(plain_python(cell.source.split("### BEGIN HIDDEN TESTS")[0]), names)
