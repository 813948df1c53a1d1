"""What students read about answers of the m4_masking zoo: the hint that fits, and none that misleads."""

from __future__ import annotations

from typing import Any

import pytest
from torch import Tensor

from grading.course import Plan, find_course, load_plan
from grading.messages import Explanation
from grading.notebooks import grade_id
from grading.runners import plain_python
from grading.student import local_student
from grading.verdict import Verdict
from tests.zoo_answers import ZOO

NAME = "m4_masking"
SEEDS = (1, 20_240, 987_654_321)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(find_course(), NAME)


def names_of(plan: Plan, answer: str) -> dict[str, Any]:
    """The solved notebook's names, with those of one zoo answer in their place."""
    names: dict[str, Any] = {}
    wanted = {f"{cell}_answer" for cell in plan.assignment.points}
    cells = [c for c in plan.blueprint.notebook.cells if c.id == "imports" or grade_id(c) in wanted]
    for text in (*(plain_python(c.source) for c in cells), (ZOO / NAME / f"wrong_{answer}.py").read_text()):
        exec(text, names)
    return names


def told(plan: Plan, answer: str, name: str, seed: int = 1) -> str:
    """The message of a check that an answer fails."""
    check = next(c for c in plan.assignment.checks if c.name == name)
    result = check.run(local_student(names_of(plan, answer), check.cell), seed, Explanation({}))
    assert result.verdict is not Verdict.PASS
    return result.message


@pytest.mark.parametrize(
    ("answer", "check", "words"),
    [
        ("loss_a_number", "masked_cross_entropy_properties", "item(), float() and numpy cut the way back"),
        ("loss_view", "masked_cross_entropy_properties", "`view` needs contiguous memory; `reshape` does not"),
        ("masked_needs_a_tidy_layout", "masked_attention_properties", "`view` needs contiguous memory"),
        ("masked_global_seed_inside", "masked_attention_properties", "or a manual_seed?"),
        ("masked_values_changed_where_nan", "masked_attention_properties", "changed one of its arguments in place"),
        ("masked_minus_1e4_added", "masked_attention_extremes", "is the fill low enough for any score?"),
        ("masked_minus_1000_added", "masked_attention_extremes", "is the fill low enough for any score?"),
        ("masked_fill_minus_1e4", "masked_attention_extremes", "is the fill low enough for any score?"),
        ("masked_fill_minus_20", "masked_attention_excludes", "is the fill low enough for any score?"),
        ("causal_minus_1000_added", "causal_attention_future", "is the fill low enough for any score?"),
        (
            "masked_axis_missing_where_it_fits",
            "masked_attention_excludes",
            "does the mask lie along the keys",
        ),
        ("masked_first_mask_for_all", "masked_attention_excludes", "does the mask lie along the keys"),
        ("padding_mask_one_too_long", "padding_mask_values", "Expected: True where a position is real"),
        ("causal_mask_turned", "causal_mask_values", "Expected: True in row i for the columns up to i"),
    ],
)
def test_the_hint_fits(plan: Plan, answer: str, check: str, words: str) -> None:
    for seed in SEEDS:
        assert words in told(plan, answer, check, seed)


@pytest.mark.parametrize("answer", ["masked_first_mask_for_all", "masked_query_rows"])
def test_the_published_batch_names_no_mistake_that_a_fresh_batch_does_not_show(plan: Plan, answer: str) -> None:
    for seed in SEEDS:
        assert "the mask has no effect" not in told(plan, answer, "masked_attention_published", seed)


def test_the_published_batch_names_a_mistake_that_a_fresh_batch_shows_too(plan: Plan) -> None:
    assert "the mask has no effect" in told(plan, "masked_no_mask", "masked_attention_published")


def test_nan_is_told_as_nan_and_not_as_randomness_or_a_missing_weight(plan: Plan) -> None:
    names = [c.name for c in plan.assignment.checks_of("masked_attention") if "guards" not in c.name]
    messages = [told(plan, "masked_mask_times_infinity", name) for name in names]
    for message in messages:
        assert "different results" not in message
        assert "got no weight" not in message
    assert any("NaN" in message for message in messages)


def test_a_gradient_that_is_nan_is_told_so_and_where(plan: Plan) -> None:
    message = told(plan, "masked_products_cleaned_late", "masked_attention_properties")
    assert "where padded values are NaN, is NaN or infinite" in message


def test_large_numbers_in_padded_values_are_not_explained_by_nan(plan: Plan) -> None:
    def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor) -> tuple[Tensor, Tensor]:
        scores = (queries @ keys.mT / keys.shape[-1] ** 0.5).masked_fill(~key_is_valid[:, None], -12.0)
        weights = scores.softmax(-1)
        return weights @ values.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0), weights

    check = next(c for c in plan.assignment.checks if c.name == "masked_attention_padding")
    message = check.run(local_student({"masked_attention": masked_attention}, check.cell), 1, Explanation({})).message
    assert "with 1e+06 in padded values" in message
    assert message.endswith("Hint: padded keys are to weigh exactly 0.0, or their values to be replaced before you multiply.")


@pytest.mark.parametrize("answer", ["masked_scale_whole_root", "causal_scale_whole_root"])
def test_a_root_without_its_fraction_is_not_called_a_missing_scale(plan: Plan, answer: str) -> None:
    name = f"{answer.partition('_')[0]}_attention_values"
    for seed in SEEDS:
        message = told(plan, answer, name, seed)
        assert "the root of d_k is cut to a whole number" in message
        assert "scale is missing" not in message


def test_a_class_that_is_asked_for_elsewhere_is_no_matter_where_messages_are_told_apart(plan: Plan) -> None:
    names = names_of(plan, "masked_guards_type_errors")
    check = next(c for c in plan.assignment.checks if c.name == "masked_attention_guards_told_apart")
    assert check.run(local_student(names, check.cell), 1, Explanation({})).verdict is Verdict.PASS


def test_what_torch_says_where_it_stumbles_is_no_message_of_a_guard(plan: Plan) -> None:
    names = names_of(plan, "masked_guards_type_errors")
    guarded = names["masked_attention"]

    def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor) -> tuple[Tensor, Tensor]:
        if queries.shape[-1] != keys.shape[-1]:
            queries @ keys.mT  # a RuntimeError
        found: tuple[Tensor, Tensor] = guarded(queries, keys, values, key_is_valid)
        return found

    check = next(c for c in plan.assignment.checks if c.name == "masked_attention_guards_told_apart")
    result = check.run(local_student(names | {"masked_attention": masked_attention}, check.cell), 1, Explanation({}))
    assert "raised RuntimeError for widths of queries and keys that differ" in result.message
