"""Checks of m3_entropy under many seeds: right answers always pass, no input comes twice, a mistake is called by its name."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from grader_tests.m3.entropies import exact_rows, one_hot_rows, ordinary_rows, tied_row
from grader_tests.m3.widths import allowed
from grader_tests.m3_entropy import CLAIMS
from grader_tests.references import entropy as reference
from grader_tests.vocabulary.inputs import DTYPES, draw
from grading.checks import check_generator
from grading.course import Plan, find_course, load_plan
from grading.notebooks import grade_id
from grading.runners import plain_python
from grading.verdict import Verdict
from tests.interviews import (
    SEEDS,
    asked,
    assert_all_differ,
    assert_inputs_follow_the_seed,
    fallen,
    hint,
    mistaken,
    result_of,
    solved_names,
)
from tests.zoo_answers import Answer, read_zoo

NAME = "m3_entropy"
GIVEN = ("imports", "saturation-row-type")
ZOO = read_zoo(NAME)
RIGHT = [answer for answer in ZOO if answer.right]
UNCHANGING = {"m3_claims_seven", "m3_claims_all"}  # they ask what is known to everyone


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(find_course(), NAME)


@pytest.fixture(scope="module")
def solved(plan: Plan) -> dict[str, Any]:
    return solved_names(plan, GIVEN)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_solved_notebook_passes_every_check_under_any_seed(plan: Plan, solved: dict[str, Any], seed: int) -> None:
    assert fallen(asked(plan, solved, seed)) == []


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.path.stem)
def test_a_right_answer_is_never_told_of_a_mistake(plan: Plan, answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    names = solved_names(plan, GIVEN)  # anew: what is not defined again calls what is
    exec(answer.text, names)
    for seed in SEEDS[3:5]:
        assert fallen(asked(plan, names, seed)) == []


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.path.stem)
def test_the_visible_asserts_accept_every_right_answer(plan: Plan, answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    names = solved_names(plan, GIVEN)
    exec(answer.text, names)
    for cell in plan.blueprint.notebook.cells:
        if grade_id(cell) in plan.assignment.points:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(plain_python(cell.source.split("### BEGIN HIDDEN TESTS")[0]), names)


def test_the_zoo_is_large_enough() -> None:
    assert len(RIGHT) >= 12
    assert len(ZOO) - len(RIGHT) >= 40


def right_names() -> dict[str, Any]:
    """The references as answers, in the dtype of their inputs."""

    def keeping(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        return lambda logits: function(logits).to(logits.dtype)

    names = ("entropy", "softmax_jacobian", "gradient_norm")
    others = {name: getattr(reference, name) for name in ("saturation_row", "collapse_width")}
    return {name: keeping(getattr(reference, name)) for name in names} | others | {"CLAIMS": CLAIMS}


def test_the_references_themselves_pass_as_answers(plan: Plan) -> None:
    assert fallen(asked(plan, right_names(), 5)) == []


def test_hidden_inputs_differ_by_seed_and_repeat_with_it(plan: Plan) -> None:
    assert_inputs_follow_the_seed(plan, right_names(), UNCHANGING)


# Inputs.


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_are_called_one_hot_are_and_others_have_no_weight_that_underflows(seed: int) -> None:
    generator = check_generator(seed, "x")
    for dtype in DTYPES:
        weights = torch.softmax(one_hot_rows(generator).to(dtype), dim=-1)
        assert bool(((weights == 0) | (weights == 1)).all())
    for row in (*ordinary_rows(generator), *exact_rows(generator)):
        assert float(torch.softmax(row, dim=-1).min()) > 1e-12


ORDERS: dict[str, Callable[[Tensor], Tensor]] = {
    "log_softmax": lambda x: -(x.log_softmax(-1).exp() * x.log_softmax(-1)).sum(-1),
    "logsumexp": lambda x: torch.logsumexp(x, -1) - (x.softmax(-1) * x).sum(-1),
    "logsumexp taken off": lambda x: -(x.softmax(-1) * (x - torch.logsumexp(x, -1, keepdim=True))).sum(-1),
    "entr": lambda x: torch.special.entr(x.softmax(-1)).sum(-1),
    "a guard": lambda x: -(x.softmax(-1) * (x.softmax(-1) + 1e-9).log()).sum(-1),
    "a floor": lambda x: -(x.softmax(-1) * x.softmax(-1).clamp(min=1e-9).log()).sum(-1),
    "one by one": lambda x: -sum(p * p.log() for p in x.softmax(-1) if p > 0),  # type: ignore[arg-type, return-value]
}


@pytest.mark.parametrize("order", ORDERS)
def test_right_orders_of_operation_agree_on_a_tie_of_10000_in_float32(order: str) -> None:
    for seed in SEEDS:
        row = tied_row(check_generator(seed, "x"))
        assert abs(float(ORDERS[order](row)) - math.log(163)) < 2e-6


# Mistakes and their names.


def told(plan: Plan, check_name: str, seed: int, **names: Any) -> str:
    """The hint that a check gives to answers that are given by name; the others are right."""
    return hint(plan, check_name, seed, right_names() | names)


def test_known_mistakes_differ_from_what_is_right_and_from_each_other() -> None:
    for seed in SEEDS:
        generator = check_generator(seed, "x")
        rows = draw(generator, 3, 5)
        assert_all_differ(reference.entropy(rows), reference.mistaken_entropies(rows), 1e-5)
        assert_all_differ(reference.entropy(rows), reference.guarded_entropies(rows), 1e-10)
        assert_all_differ(reference.softmax_jacobian(rows[0]), reference.mistaken_jacobians(rows[0]), 1e-5)
        assert_all_differ(reference.gradient_norm(rows), reference.mistaken_norms(rows), 1e-5)


def test_mistakes_of_tensors_are_called_by_their_names(plan: Plan) -> None:
    row, table = draw(check_generator(1, "x"), 5), draw(check_generator(1, "x"), 4, 5)
    for seed in SEEDS[:3]:
        for mistake in reference.mistaken_entropies(row):
            assert told(plan, "entropy_values", seed, entropy=mistaken(reference.mistaken_entropies, mistake)) == mistake
        for mistake in reference.guarded_entropies(row):
            assert told(plan, "entropy_exact", seed, entropy=mistaken(reference.guarded_entropies, mistake)) == mistake
        for mistake in reference.mistaken_norms(table):
            assert told(plan, "gradient_norm_values", seed, gradient_norm=mistaken(reference.mistaken_norms, mistake)) == mistake


@pytest.mark.parametrize("mistake", reference.mistaken_jacobians(torch.arange(3.0)))
def test_mistakes_of_the_jacobian_are_called_by_their_names(plan: Plan, mistake: str) -> None:
    wrong = mistaken(reference.mistaken_jacobians, mistake)
    names, results = right_names() | {"softmax_jacobian": wrong}, []
    for check_name in ("softmax_jacobian_diagonal", "softmax_jacobian_off_diagonal"):
        results.append(result_of(plan, check_name, names, 1))
    messages = [r.message for r in results if r.verdict is not Verdict.PASS]
    assert messages
    assert all(message.endswith(f"Hint: {mistake}.") for message in messages)


def test_the_softmax_over_another_axis_is_called_by_its_name(plan: Plan) -> None:
    for axis, name in ((0, "the softmax runs over the first axis"), (-2, "the softmax runs over the queries")):

        def entropy(logits: Tensor, axis: int = axis) -> Tensor:
            return reference.spread(torch.softmax(logits, dim=axis)).to(logits.dtype)

        # The first batch has one leading axis, where both are the same mistake.
        assert told(plan, "entropy_batched", 1, entropy=entropy).startswith("the softmax runs over the first axis"), name


@pytest.mark.parametrize("mistake", reference.mistaken_rows(4, 1, 5))
def test_mistakes_of_the_row_are_called_by_their_names(plan: Plan, mistake: str) -> None:
    def saturation_row(d_k: int, generator: torch.Generator, n_keys: int = 5) -> Any:
        return reference.mistaken_rows(d_k, generator.initial_seed(), n_keys)[mistake]

    names = right_names() | {"saturation_row": saturation_row}
    columns = ("stds", "entropy_raw", "entropy_scaled")
    messages = fallen([result_of(plan, f"saturation_row_{column}", names, 1) for column in columns])
    assert any(mistake in message for message in messages)  # one column may look like another mistake's


def test_choices_that_are_known_mistakes_are_called_by_their_names(plan: Plan) -> None:
    def collapsed(widths: list[int], threshold: float, generator: torch.Generator, *sizes: int) -> list[int]:
        return [w for w in widths if reference.collapse_width([w], threshold, generator, *sizes) is not None]

    def first(*given: Any) -> int | None:
        return next(iter(collapsed(*given)), None)

    def largest(*given: Any) -> int | None:
        return max(collapsed(*given), default=None)

    assert told(plan, "collapse_width_smallest", 1, collapse_width=first).startswith("this is the first collapsed width")
    assert told(plan, "collapse_width_smallest", 1, collapse_width=largest)
    scaled = told(plan, "collapse_width_smallest", 1, collapse_width=lambda *given: None)
    assert scaled.startswith("are the scores scaled")


def test_nan_is_explained(plan: Plan) -> None:
    def book(logits: Tensor) -> Tensor:
        p = torch.softmax(logits, dim=-1)
        return -(p * p.log()).sum(dim=-1)

    assert told(plan, "entropy_extremes", 1, entropy=book).startswith("0 times log 0 is NaN")


def names_with(answer: str) -> dict[str, Any]:
    """The references, with the names of one wrong answer of the zoo in their place."""
    names = right_names() | {"SaturationRow": lambda *numbers: numbers}
    exec(next(a.text for a in ZOO if a.path.stem == f"wrong_{answer}"), names)
    return names


@pytest.mark.parametrize(
    ("answer", "column", "words"),
    [
        ("row_whole_root", "stds", "the root of d_k is cut to a whole number"),
        ("row_whole_root", "entropy_scaled", "the root of d_k is cut to a whole number"),
        ("row_rounded", "stds", "are they rounded?"),
        ("row_rounded", "entropy_raw", "are they rounded?"),
        ("row_rounded", "entropy_scaled", "are they rounded?"),
        ("row_scaled_by_keys", "stds", "divided by math.sqrt(d_k)"),
        ("row_global_generator", "stds", "is drawn first"),
    ],
)
def test_the_order_of_draws_is_named_only_where_the_raw_column_is_wrong(plan: Plan, answer: str, column: str, words: str) -> None:
    for seed in SEEDS[:3]:
        found = hint(plan, f"saturation_row_{column}", seed, names_with(answer))
        assert words in found
        assert ("drawn first" in found) is ("drawn first" in words)


@pytest.mark.parametrize("answer", ["norm_closed_form_clamped", "norm_closed_form_in_float32"])
def test_the_visible_asserts_find_a_norm_from_sums_that_cancel(plan: Plan, answer: str) -> None:
    names = solved_names(plan, GIVEN) | {"halves": torch.log(torch.tensor([2.0, 1.0, 1.0]))}
    exec(next(a.text for a in ZOO if a.path.stem == f"wrong_{answer}"), names)
    cell = next(c for c in plan.blueprint.notebook.cells if grade_id(c) == "gradient_norm")
    with pytest.raises(AssertionError, match="nearly one-hot"):
        exec(plain_python(cell.source.split("### BEGIN HIDDEN TESTS")[0]), names)


def test_a_mistake_that_no_one_knows_is_given_no_name(plan: Plan) -> None:
    for seed in SEEDS[:3]:
        assert told(plan, "entropy_values", seed, entropy=lambda x: 1.1 * reference.entropy(x)) == ""
        assert told(plan, "gradient_norm_values", seed, gradient_norm=lambda x: 1.1 * reference.gradient_norm(x)) == ""


# Errors are paid for once.


@pytest.mark.parametrize(
    ("found", "standings", "fits"),
    [
        (2, (False, True), False),
        (3, (False, True), True),
        (None, (False, True), False),
        (None, (False, None), True),
        (2, (None, True), True),
        (3, (None, True), True),
        (3, (True, True), False),
        (7, (True, True), False),
    ],
)
def test_an_answer_fits_widths_that_are_surely_below_or_perhaps(found: int | None, standings: Any, fits: bool) -> None:
    assert allowed(found, (2, 3), standings) is fits


@pytest.mark.parametrize("factor", [1.5, -1.0], ids=str)
def test_a_right_sampler_with_a_wrong_entropy_is_right_in_any_order_of_drawing(plan: Plan, factor: float) -> None:
    def entropy(logits: Tensor) -> Tensor:
        return factor * reference.entropy(logits).to(logits.dtype)

    def keys_first(widths: list[int], threshold: float, generator: torch.Generator, n: int = 200, n_keys: int = 5) -> Any:
        found = []
        for d in widths:
            keys, queries = torch.randn(n, n_keys, d, generator=generator), torch.randn(n, 1, d, generator=generator)
            found += [d] if entropy((queries * keys).sum(dim=-1)).mean() < threshold else []
        return min(found, default=None)

    def scaled(widths: list[int], threshold: float, generator: torch.Generator, n: int = 200, n_keys: int = 5) -> Any:
        found = []
        for d in widths:
            scores = reference.collapse_scores(d, n, n_keys, generator) / math.sqrt(d)
            found += [d] if entropy(scores).mean() < threshold else []
        return min(found, default=None)

    for seed in SEEDS[:3]:
        for collapse_width, right in ((keys_first, True), (scaled, False)):
            names = right_names() | {"entropy": entropy, "collapse_width": collapse_width}
            results = [result_of(plan, f"collapse_width_{part}", names, seed) for part in ("smallest", "draws")]
            assert all(r.verdict is Verdict.PASS for r in results) is right, [r.message for r in results]


def test_functions_that_share_a_memory_earn_nothing_by_it(plan: Plan) -> None:
    remembered: list[float] = []

    def saturation_row(d_k: int, generator: torch.Generator, n_keys: int = 5) -> Any:
        row = reference.saturation_row(d_k, generator, n_keys)
        remembered[:] = [float(len(remembered)) + d_k, float(d_k) + 1]
        return (*row[:2], *remembered)

    def entropy(logits: Tensor) -> Tensor:
        known = remembered[0] if remembered else 0.0
        return reference.entropy(logits).to(logits.dtype) + known

    names = right_names() | {"saturation_row": saturation_row, "entropy": entropy}
    for column in ("raw", "scaled"):
        assert result_of(plan, f"saturation_row_entropy_{column}", names, 1).verdict is Verdict.FAIL


# The claims, each settled by a computation.


def seeded(d_k: int) -> Tensor:
    return reference.saturation_scores(d_k, torch.Generator().manual_seed(0)).double()


def many(width: int) -> Tensor:
    return reference.collapse_scores(width, 4_000, 5, torch.Generator().manual_seed(width)).double()


def same_winner_other_gradient() -> bool:
    raw = seeded(256)
    scaled = raw / 16
    return bool(raw.argmax() == scaled.argmax()) and bool(reference.gradient_norm(scaled) / 16 < 2 * reference.gradient_norm(raw))


def at_most_log_5_and_only_for_equal_weights() -> bool:
    drawn = reference.entropy(draw(check_generator(1, "x"), 10_000, 5))
    equal = float(reference.entropy(torch.full((5,), 2.0)))
    return abs(equal - math.log(5)) < 1e-12 and bool((drawn < math.log(5) - 1e-9).all())


def equal_weights_have_the_largest_jacobian() -> bool:
    two_way = torch.tensor([0.0, 0.0, -500.0, -500.0, -500.0])
    return bool(reference.gradient_norm(torch.zeros(5)) >= reference.gradient_norm(two_way))


def one_query_has_std_one() -> bool:
    return all(abs(float((seeded(d) / math.sqrt(d)).std()) - 1) < 1e-3 for d in (4, 16, 64, 256))


def printed_zero_lets_gradient_through() -> bool:
    return f"{float(reference.entropy(seeded(256))):.3f}" == "0.000" and float(reference.gradient_norm(seeded(256))) > 1e-6


def rows_sum_to_zero() -> bool:
    logits = draw(check_generator(2, "x"), 50, 5)
    moved = torch.softmax(logits + 3, dim=-1) - torch.softmax(logits, dim=-1)
    return float(reference.softmax_jacobian(logits).sum(dim=-1).abs().max()) < 1e-14 and float(moved.abs().max()) < 1e-14


def entropy_is_the_standard_deviation() -> bool:
    return all(abs(float(many(4)[i].std()) - float(reference.entropy(many(4)[i]))) < 1e-2 for i in range(20))


def mean_gradient_falls_and_the_table_rises() -> bool:
    means = [float(reference.gradient_norm(many(d)).mean()) for d in (2, 4, 8, 16, 32, 64, 128, 256, 1024)]
    rises = bool(reference.gradient_norm(seeded(64)) > reference.gradient_norm(seeded(16)))
    return rises and means == sorted(means, reverse=True)


SETTLED = {
    "A": same_winner_other_gradient,
    "B": at_most_log_5_and_only_for_equal_weights,
    "C": equal_weights_have_the_largest_jacobian,
    "D": one_query_has_std_one,
    "E": printed_zero_lets_gradient_through,
    "F": rows_sum_to_zero,
    "G": entropy_is_the_standard_deviation,
    "H": mean_gradient_falls_and_the_table_rises,
}


@pytest.mark.parametrize("label", CLAIMS)
def test_a_claim_is_what_a_computation_says(label: str) -> None:
    assert SETTLED[label]() is CLAIMS[label]


def test_the_notebook_has_these_claims(plan: Plan, solved: dict[str, Any]) -> None:
    text = next(cell.source for cell in plan.blueprint.notebook.cells if cell.id == "part-5")
    assert re.findall(r"^- \*\*([A-H])\.\*\*", text, re.MULTILINE) == list(CLAIMS)
    assert solved["CLAIMS"] == CLAIMS


def test_no_weights_of_five_keys_have_a_larger_jacobian_than_a_two_way_split() -> None:
    """The notebook says so: ||J||^2 = S2 - 2 S3 + S2^2 with the sums of squares and cubes."""
    weights = torch.rand(200_000, 5, generator=check_generator(3, "x"), dtype=torch.float64).pow(4)
    logits = (weights + 1e-300).log()
    assert float(reference.gradient_norm(logits).max()) <= 0.5
