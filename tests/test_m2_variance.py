"""Checks of m2_variance under many seeds: right answers always pass, hidden draws differ, a mistake is called by its name."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from grader_tests.m2 import proof
from grader_tests.references import variance as reference
from grading.checks import Check
from grading.course import Plan, find_course, load_plan
from grading.messages import Explanation
from grading.runners import LocalRunner
from grading.sandbox.inside.client import Client
from grading.score import score
from grading.student import LocalTransport, Student, local_student
from grading.trial import as_submission
from grading.verdict import CheckResult, Verdict
from grading.wire import Frame
from tests.m2_names import NAME, names_with
from tests.zoo_answers import Answer, read_zoo

SEEDS = [*range(1, 29), 2**61 + 7, 2**62 - 1]
ZOO = read_zoo(NAME)
RIGHT = [answer for answer in ZOO if answer.right]
UNCHANGING = {"m2_claims_seven", "m2_claims_all"} | {
    f"proof_{part}" for part in ("order_product", "order_sum", "reasons_assumptions", "reasons_algebra")
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(find_course(), NAME)


def asked(plan: Plan, names: dict[str, Any], seed: int) -> list[CheckResult]:
    return [check.run(local_student(names, check.cell), seed, Explanation({})) for check in plan.assignment.checks]


def run(plan: Plan, name: str, names: Mapping[str, Any], seed: int = 1) -> CheckResult:
    """One check of the solved notebook with other definitions in it."""
    check = next(c for c in plan.assignment.checks if c.name == name)
    return check.run(local_student(names_with() | dict(names), check.cell), seed, Explanation({}))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_solved_notebook_passes_every_check_under_any_seed(plan: Plan, seed: int) -> None:
    assert [r.message for r in asked(plan, names_with(), seed) if r.verdict is not Verdict.PASS] == []


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.path.stem)
def test_a_right_answer_is_never_told_of_a_mistake(plan: Plan, answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in SEEDS[3:6]:
        assert [r.message for r in asked(plan, names_with(answer.text), seed) if not r.message.startswith("Right: ")] == []


def test_the_references_themselves_pass_as_answers(plan: Plan) -> None:
    names = ("dot_products", "variance_table", "score_variance", "score_divisor", "score_audit")
    results = asked(plan, names_with() | {name: getattr(reference, name) for name in names}, 5)
    assert [r.message for r in results if r.verdict is not Verdict.PASS] == []


def test_the_zoo_is_large_enough() -> None:
    assert len(RIGHT) >= 10
    assert len(ZOO) - len(RIGHT) >= 25


# Hidden inputs.


class Listening(LocalTransport):
    """Notes what a check sends."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.heard: list[str] = []

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        self.heard.append(json.dumps(header))
        return super().ask(header, blob)


def heard(check: Check, seed: int, names: dict[str, Any]) -> list[str]:
    transport = Listening(Client(names))
    check.run(Student(transport, check.cell, {}), seed, Explanation({}))
    return transport.heard


def seeds_in(requests: list[str]) -> set[str]:
    """The seeds of generators in requests."""
    return set(re.findall(r'"generator": (\d+)', " ".join(requests)))


@pytest.mark.parametrize("answer", ["", "right_keys_first"])
def test_hidden_draws_differ_by_seed_and_repeat_with_it_and_no_two_checks_share_one(plan: Plan, answer: str) -> None:
    names = names_with(next((a.text for a in RIGHT if a.path.stem == answer), ""))
    seen: dict[str, str] = {}
    for check in plan.assignment.checks:
        first, again, other = (heard(check, seed, names) for seed in (1, 1, 2))
        assert first == again
        assert (first == other) is (check.name in UNCHANGING), check.name
        assert not seeds_in(first) & seeds_in(other)
        for found in seeds_in(first):
            assert seen.setdefault(found, check.name) == check.name


def test_no_message_of_the_zoo_tells_a_seed(plan: Plan) -> None:
    for answer in [a for a in ZOO if not a.right][::6]:
        names = names_with(answer.text)
        for check in plan.assignment.checks:
            transport = Listening(Client(names))
            message = check.run(Student(transport, check.cell, {}), 3, Explanation({})).message
            assert not any(seed in message for seed in seeds_in(transport.heard))


# Mistakes and their names.


def from_mistakes(named: Callable[..., Mapping[str, Any]], mistake: str) -> Callable[..., Any]:
    """An answer that makes a mistake of the reference's list, from its generator's seed."""

    def answer(first: Any, second: Any, generator: torch.Generator) -> Any:
        return named(first, second, generator.initial_seed())[mistake]

    return answer


@pytest.mark.parametrize("mistake", reference.mistaken_dot_products(3, 2, 1))
def test_a_mistake_of_the_sampler_is_called_by_its_name(plan: Plan, mistake: str) -> None:
    answer = from_mistakes(reference.mistaken_dot_products, mistake)
    for seed in SEEDS[:5]:
        result = run(plan, "dot_products_law", {"dot_products": answer}, seed)
        assert result.message.endswith(f"Hint: {mistake}.")


@pytest.mark.parametrize("mistake", reference.mistaken_tables([2, 3], 3, 1))
def test_a_mistake_of_the_table_is_called_by_its_name(plan: Plan, mistake: str) -> None:
    answer = from_mistakes(reference.mistaken_tables, mistake)
    for seed in SEEDS[:5]:
        result = run(plan, "variance_table_unbiased", {"variance_table": answer}, seed)
        assert result.message.endswith(f"Hint: {mistake}."), result.message


CASE = (7, 2.5, 0.4)


@pytest.mark.parametrize("mistake", reference.mistaken_variances(*CASE))
def test_a_mistake_of_the_variance_is_called_by_its_name(plan: Plan, mistake: str) -> None:
    def score_variance(d_k: int, var_q: float = 1.0, var_k: float = 1.0) -> Tensor:
        return reference.mistaken_variances(d_k, var_q, var_k)[mistake]

    assert run(plan, "score_variance_general", {"score_variance": score_variance}).message.endswith(f"Hint: {mistake}.")


@pytest.mark.parametrize("mistake", reference.mistaken_divisors(*CASE))
def test_a_mistake_of_the_divisor_is_called_by_its_name(plan: Plan, mistake: str) -> None:
    def score_divisor(d_k: int, var_q: float = 1.0, var_k: float = 1.0) -> Tensor:
        return reference.mistaken_divisors(d_k, var_q, var_k)[mistake]

    assert run(plan, "score_divisor_general", {"score_divisor": score_divisor}).message.endswith(f"Hint: {mistake}.")


@pytest.mark.parametrize(
    ("answer", "check", "told"),
    [
        ("not_scaled", "score_audit_scaled_variance", "the scores are not scaled"),
        ("scaled_by_width", "score_audit_scaled_weights", "divided by d_k; its root is asked for"),
        ("population", "score_audit_raw_variance", "the unbiased one divides by one less"),
        ("softmax_over_queries", "score_audit_raw_weights", "the softmax runs over the queries"),
        ("largest_of_all", "score_audit_raw_weights", "the largest of all weights is taken"),
        ("columns_swapped", "score_audit_raw_weights", "raw and scaled columns have changed places"),
        ("variances_for_deviations", "score_audit_general", "the roots of var_q and var_k"),
    ],
)
def test_a_mistake_of_the_audit_is_told(plan: Plan, answer: str, check: str, told: str) -> None:
    text = next(a.text for a in ZOO if a.path.stem == f"wrong_score_audit_{answer}")
    assert told in run(plan, check, names_with(text)).message


def test_numbers_that_are_nan_are_told_so(plan: Plan) -> None:
    def score_audit(widths: list[int], n_queries: int, n_keys: int, generator: torch.Generator, *_: float) -> Tensor:
        return torch.randn(len(widths), 4, generator=generator) * math.nan

    def variance_table(widths: list[int], n: int, generator: torch.Generator) -> list[tuple[int, float, float]]:
        return [(width, math.nan, math.nan) for width in widths]

    told = [run(plan, "variance_table_unbiased", {"variance_table": variance_table}).message]
    told += [run(plan, f"score_audit_raw_{column}", {"score_audit": score_audit}).message for column in ("weights",)]
    for message in told:
        assert "NaN or infinity among" in message, message


def test_a_rounded_table_is_told_not_to_round(plan: Plan) -> None:
    names = names_with(next(a.text for a in ZOO if a.path.stem == "wrong_variance_table_rounded"))
    for seed in SEEDS[:5]:
        for check in ("variance_table_rows", "variance_table_unbiased"):
            assert "do not round" in run(plan, check, names, seed).message


# Errors are paid for once.


class TestTableOfASamplerThatDisobeys:
    """A table that hands its generator on to a sampler which does not use it rightly."""

    @staticmethod
    def verdict(plan: Plan, sampler: Callable[..., Tensor], table: Callable[..., Any] | None = None) -> Verdict:
        names = names_with() | {"dot_products": sampler}
        solved = names["variance_table"]
        names["variance_table"] = table or type(solved)(solved.__code__, names)
        return run(plan, "variance_table_rows", names).verdict

    @staticmethod
    def ignoring(n: int, d_k: int, generator: torch.Generator) -> Tensor:
        return (torch.randn(n, d_k) * torch.randn(n, d_k)).sum(dim=1)

    def test_it_keeps_its_points(self, plan: Plan) -> None:
        assert self.verdict(plan, self.ignoring) is Verdict.PASS

    def test_but_not_where_it_seeds_something_itself(self, plan: Plan) -> None:
        def table(widths: list[int], n: int, generator: torch.Generator) -> list[tuple[int, float, float]]:
            torch.manual_seed(3)
            variances = [float(self.ignoring(n, width, generator).var()) for width in widths]
            return [(width, v, math.sqrt(v)) for width, v in zip(widths, variances, strict=True)]

        assert self.verdict(plan, self.ignoring, table) is Verdict.FAIL

    def test_and_a_sampler_that_draws_nothing_excuses_nothing(self, plan: Plan) -> None:
        assert self.verdict(plan, lambda n, d_k, generator: torch.arange(n).float()) is Verdict.FAIL


def test_a_table_of_a_wrong_sampler_is_right_if_it_is_composed_rightly_and_zeros_excuse_nothing(plan: Plan) -> None:
    def uniform(n: int, d_k: int, generator: torch.Generator) -> Tensor:
        return (torch.rand(n, d_k, generator=generator) * torch.rand(n, d_k, generator=generator)).sum(dim=1)

    def zeros(n: int, d_k: int, generator: torch.Generator) -> Tensor:
        return torch.zeros(n)

    for sampler, verdict in ((uniform, Verdict.PASS), (zeros, Verdict.FAIL)):
        text = names_with()["variance_table"]
        names = names_with() | {"dot_products": sampler}
        names["variance_table"] = type(text)(text.__code__, names)
        for check in ("variance_table_estimates", "variance_table_unbiased"):
            assert run(plan, check, names).verdict is verdict, check


# The proof.


def orders(steps: str, before: tuple[str, ...] = ()) -> int:
    """How many orders of the steps are right, counted by trying."""
    if not steps:
        return 1
    ready = [s for s in steps if set(proof.USED[s]) <= set(before)]
    return sum(orders(steps.replace(s, ""), (*before, s)) for s in ready)


def test_every_order_that_respects_the_dependencies_passes_and_few_do(plan: Plan) -> None:
    generator = torch.Generator().manual_seed(1)
    for _ in range(40):
        order: list[str] = []
        while len(order) < 9:
            ready = [s for s in proof.USED if s not in order and set(proof.USED[s]) <= set(order)]
            order.append(ready[int(torch.randint(len(ready), (1,), generator=generator))])
        for check in ("proof_order_product", "proof_order_sum"):
            assert run(plan, check, {"PROOF_ORDER": order}).verdict is Verdict.PASS
    assert orders("ABCDEFGHI") / math.factorial(9) < 0.01


def test_each_dependency_that_is_broken_alone_costs_the_half_that_it_belongs_to(plan: Plan) -> None:
    right = list("FDIBHGCAE")
    for step, used in ((s, u) for s, uses in proof.USED.items() for u in uses):
        order = [label for label in right if label != used]
        order.insert(order.index(step) + 1, used)
        verdicts = [run(plan, f"proof_order_{half}", {"PROOF_ORDER": order}).verdict for half in ("product", "sum")]
        assert Verdict.FAIL in verdicts, (step, used)


@pytest.mark.parametrize("reason", [f"R{i}" for i in proof.UNNEEDED])
def test_a_reason_that_no_step_needs_is_told_and_what_is_right_is_not(plan: Plan, reason: str) -> None:
    reasons = names_with()["PROOF_REASONS"] | {"D": reason}
    message = run(plan, "proof_reasons_assumptions", {"PROOF_REASONS": reasons}).message
    assert "no step needs the reason that you gave for D" in message
    assert "R4" not in message


def test_the_notebook_lists_the_steps_and_reasons_that_the_checks_know(plan: Plan) -> None:
    text = {cell.id: cell.source for cell in plan.blueprint.notebook.cells}
    assert re.findall(r"^\| ([A-I]) \|", text["proof-steps"], re.M) == sorted(proof.USED)
    listed = [int(label) for label in re.findall(r"^\| R(\d+) \|", text["proof-reasons-text"], re.M)]
    assert listed == list(range(1, 12))
    assert set(listed) == set(proof.REASONS.values()) | set(proof.UNNEEDED)


# The written proof, and what is not asked.


def test_the_written_proof_waits_for_a_person_and_its_marking_scheme_is_not_released(plan: Plan) -> None:
    result = score(as_submission(plan, "someone", RIGHT[0].text), plan, LocalRunner(), 1).result
    assert (result.points, result.max_points, result.manual_points) == (18, 18, 2)
    course = find_course()
    assert (course.root / "grader_tests/m2/proof_marking_scheme.md").is_file()
    assert [p.name for p in (course.release / NAME).iterdir()] == [f"{NAME}.ipynb"]
    released = Path(course.release / NAME / f"{NAME}.ipynb").read_text()
    assert "YOUR ANSWER HERE" in released
    assert "Look at one coordinate first" not in released
