"""Checks of stretch_multihead under many seeds: right answers pass, no input comes twice, a mistake is called by its name."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import pytest
import torch
from torch import Tensor, nn

from grader_tests.references import multihead as reference
from grader_tests.references.multihead import Layers, Problem
from grader_tests.stretch.heads import SHAPES as HEAD_SHAPES
from grader_tests.stretch.heads import draw_heads, draw_rows
from grader_tests.stretch.masks import PADDED, draw_padded
from grader_tests.stretch.modules import CELL, ODD_SHAPES, SHAPES, draw_cross, draw_self
from grading.checks import Check, check_generator
from grading.course import Plan, find_course, load_plan
from grading.messages import Explanation
from grading.notebooks import grade_id
from grading.runners import plain_python
from grading.sandbox.inside.client import Client
from grading.student import LocalTransport, Student, local_student
from grading.verdict import CheckResult, Verdict
from grading.wire import Frame
from tests.zoo_answers import Answer, read_zoo

NAME = "stretch_multihead"
SEEDS = [*range(1, 19), 2**61 + 7, 2**62 - 1]
RIGHT = [answer for answer in read_zoo(NAME) if answer.right]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(find_course(), NAME)


@pytest.fixture(scope="module")
def solved(plan: Plan) -> dict[str, Any]:
    """The names that the solved answer cells define."""
    namespace: dict[str, Any] = {}
    wanted = {f"{cell}_answer" for cell in plan.assignment.points}
    for cell in plan.blueprint.notebook.cells:
        if cell.id == "imports" or grade_id(cell) in wanted:
            exec(plain_python(cell.source), namespace)
    return namespace


@pytest.fixture(scope="module")
def run(plan: Plan) -> dict[str, Any]:
    """All names of the solved notebook, once all of its cells have run; figures are made and closed."""
    namespace: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(plt, "show", lambda: plt.close("all"))
        warnings.simplefilter("ignore")  # as in a notebook
        for cell in plan.blueprint.notebook.cells:
            if cell.cell_type == "code":
                exec(plain_python(cell.source.split("### BEGIN HIDDEN TESTS")[0]), namespace)
    return namespace


def asked(plan: Plan, names: dict[str, Any], seed: int) -> list[CheckResult]:
    """Every check's result."""
    return [check.run(local_student(names, check.cell), seed, Explanation({})) for check in plan.assignment.checks]


def fallen(plan: Plan, names: dict[str, Any], seed: int) -> set[str]:
    """The names of the checks that are not passed."""
    return {result.check for result in asked(plan, names, seed) if result.verdict is not Verdict.PASS}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_solved_notebook_passes_every_check_under_any_seed(plan: Plan, solved: dict[str, Any], seed: int) -> None:
    assert [r.message for r in asked(plan, solved, seed) if r.verdict is not Verdict.PASS] == []


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.path.stem)
def test_a_right_answer_is_never_told_of_a_mistake(
    plan: Plan, solved: dict[str, Any], answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    names = dict(solved)
    exec(answer.text, names)
    for seed in SEEDS[3:6]:
        assert [r.message for r in asked(plan, names, seed) if not r.message.startswith("Right: ")] == []


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.path.stem)
def test_the_visible_asserts_accept_every_right_answer(
    plan: Plan, solved: dict[str, Any], answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    names = dict(solved)
    exec(answer.text, names)
    for cell in plan.blueprint.notebook.cells:
        if grade_id(cell) in plan.assignment.points:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(plain_python(cell.source.split("### BEGIN HIDDEN TESTS")[0]), names)


def test_the_zoo_is_large_enough() -> None:
    assert len(RIGHT) >= 10
    assert len(read_zoo(NAME)) - len(RIGHT) >= 60


# What the notebook says.


def test_the_predictions_of_the_solution_are_what_the_notebook_measures(run: dict[str, Any]) -> None:
    assert run["PREDICTION"].keys() == run["measured"].keys()
    assert run["PREDICTION"] == run["measured"]


def test_every_statement_is_settled_as_the_solution_marks_it(run: dict[str, Any]) -> None:
    assert set(run["STATEMENTS"]) == set("ABCDEFGH")
    assert run["STATEMENTS"] == run["settled"]


def test_what_the_notebook_says_of_its_heads_is_seen_in_its_run(run: dict[str, Any]) -> None:
    losses, trained = run["twin_losses"], run["found_weights"][0].detach()
    assert losses[-1] < losses[0] / 5, "training works"
    assert run["twin_distances"][-1] < 1e-6, "twins stay twins"
    assert max(run["other_distances"]) > 0.3, "the third head began apart"
    before, last = trained.diagonal(offset=-1, dim1=1, dim2=2)[:, :4], trained[:, 1:, 5]
    assert bool(((before - 0.5).abs() < 0.2).all()), "half of the weight on the token before, in all three heads"
    assert bool(((last - 0.5).abs() < 0.2).all()), "and half on the last"


# Right answers made of the references.


class ReferenceModule(nn.Module):
    """The reference with weights of its own."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        if d_model % n_heads:
            raise ValueError("the heads do not divide the width")
        super().__init__()
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def problem(self, queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor | None) -> Problem:
        layers = Layers(*(layer.weight for layer in (self.W_Q, self.W_K, self.W_V, self.W_O)))
        return Problem(layers, self.n_heads, queries, keys, values, key_is_valid)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, weights = reference.multi_head_attention(self.problem(queries, keys, values, key_is_valid))
        return output.to(queries.dtype), weights.to(queries.dtype)


def right_names() -> dict[str, Any]:
    return {
        "split_heads": reference.split_heads,
        "merge_heads": reference.merge_heads,
        "MultiHeadAttention": ReferenceModule,
    }


def test_the_references_themselves_pass_all_checks(plan: Plan) -> None:
    assert fallen(plan, right_names(), 5) == set()


# Hidden inputs.


class Listening(LocalTransport):
    """Notes what a check sends: the arguments' form and the bytes of all tensors."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.heard: list[tuple[str, bytes]] = []

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        self.heard.append((json.dumps(header.get("args")), blob))
        return super().ask(header, blob)


def heard(check: Check, seed: int) -> list[tuple[str, bytes]]:
    """What a check sends to a right answer."""
    transport = Listening(Client(right_names()))
    check.run(Student(transport, check.cell, {}), seed, Explanation({}))
    return transport.heard


def test_hidden_inputs_differ_by_seed_and_repeat_with_it(plan: Plan) -> None:
    for check in plan.assignment.checks:
        first, again, other = heard(check, 1), heard(check, 1), heard(check, 2)
        assert first == again
        assert first != other, check.name


def test_no_two_checks_share_an_input_that_was_drawn(plan: Plan) -> None:
    seen: dict[bytes, str] = {}
    for check in plan.assignment.checks:
        for _, blob in set(heard(check, 1)):
            if len(blob) > 100 and any(blob):  # zeros for a bias that need not be there are no secret
                assert seen.setdefault(blob, check.name) == check.name


@pytest.mark.parametrize("shape", PADDED, ids=str)
def test_every_example_has_a_real_token_and_all_but_one_have_padding(shape: Any) -> None:
    for seed in SEEDS:
        valid = draw_padded(check_generator(seed, "x"), shape).key_is_valid
        assert valid is not None
        counts = valid.sum(dim=1)
        assert int(counts.min()) >= 1
        assert int((counts == shape.T_q).sum()) == (shape.B > 1)


# Errors are paid for once.


def view_split(x: Tensor, n_heads: int) -> Tensor:
    return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


def view_merge(x: Tensor) -> Tensor:
    return x.reshape(x.shape[0], x.shape[2], -1)


WRONG_SPLITS: dict[str, Callable[[Tensor, int], Tensor]] = {
    "view": view_split,
    "interleaved": lambda x, n: x.unflatten(-1, (-1, n)).movedim(-1, 1),
    "reversed": lambda x, n: reference.split_heads(x, n).flip(1),
}
WRONG_MERGES: dict[str, Callable[[Tensor], Tensor]] = {
    "view": view_merge,
    "interleaved": lambda x: x.movedim(1, -1).flatten(-2),
    "reversed": lambda x: reference.merge_heads(x.flip(1)),
}


def names_with(split: Callable[..., Tensor], merge: Callable[..., Tensor], used: tuple[Any, ...]) -> dict[str, Any]:
    """Helpers under the names of the notebook, and a right module that is built on those in `used`."""

    class Composed(ReferenceModule):
        def forward(
            self, queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            inner, outer = used
            projected = (self.W_Q(queries), self.W_K(keys), self.W_V(values))
            Q, K, V = (inner(x, self.n_heads) for x in projected)
            weights = reference.head_weights(Q, K, key_is_valid).to(Q.dtype)
            output: Tensor = self.W_O(outer(weights @ V))
            return output, weights

    return {"split_heads": split, "merge_heads": merge, "MultiHeadAttention": Composed}


@pytest.mark.parametrize("split", WRONG_SPLITS)
@pytest.mark.parametrize("merge", WRONG_MERGES)
def test_a_module_that_uses_wrong_helpers_rightly_is_right(plan: Plan, split: str, merge: str) -> None:
    cut, join = WRONG_SPLITS[split], WRONG_MERGES[merge]
    for used in ((cut, join), (cut, reference.merge_heads), (reference.split_heads, join)):
        lost = fallen(plan, names_with(cut, join, used), 7)
        assert not {check for check in lost if check.startswith("multi_head")}, lost
        assert {"split_heads_values", "merge_heads_values"} <= lost


@pytest.mark.parametrize("split", WRONG_SPLITS)
def test_the_same_module_is_wrong_where_the_helpers_are_not(plan: Plan, split: str) -> None:
    lost = fallen(plan, names_with(reference.split_heads, reference.merge_heads, (WRONG_SPLITS[split], reference.merge_heads)), 7)
    assert {"multi_head_self_weights", "multi_head_cross_weights", "multi_head_parity"} <= lost


def test_helpers_that_are_no_rearrangement_excuse_nothing(plan: Plan) -> None:
    def constant(x: Tensor, n_heads: int) -> Tensor:
        return torch.ones_like(reference.split_heads(x, n_heads)) * x.flatten()[0]

    lost = fallen(plan, names_with(constant, reference.merge_heads, (constant, reference.merge_heads)), 7)
    assert {"multi_head_self_weights", "multi_head_cross_weights", "multi_head_output", "multi_head_parity"} <= lost


# Mistakes and their names.


def hint(plan: Plan, check_name: str, seed: int, names: dict[str, Any]) -> str:
    """The hint that a check gives to an answer that fails it."""
    check = next(c for c in plan.assignment.checks if c.name == check_name)
    result = check.run(local_student(right_names() | names, check.cell), seed, Explanation({}))
    assert result.verdict is Verdict.FAIL, result.message
    return result.message.partition("Hint: ")[2].removesuffix(".")


def test_mistakes_of_the_helpers_are_called_by_their_names(plan: Plan) -> None:
    generator = check_generator(1, "x")
    splits = reference.mistaken_splits(draw_rows(generator, HEAD_SHAPES[0]), HEAD_SHAPES[0][2])
    for mistake in splits:
        wrong = {"split_heads": lambda x, n, mistake=mistake: reference.mistaken_splits(x, n)[mistake]}
        assert hint(plan, "split_heads_values", 3, wrong) == mistake
    for mistake in reference.mistaken_merges(draw_heads(generator, HEAD_SHAPES[0])):
        wrong = {"merge_heads": lambda x, mistake=mistake: reference.mistaken_merges(x)[mistake]}
        for check in ("merge_heads_values", "merge_heads_inverse"):
            assert hint(plan, check, 3, wrong) == mistake


def mistaken_module(mistaken: Callable[[Problem], tuple[Tensor, Tensor]]) -> dict[str, Any]:
    """A module whose output and weights are made by a function of the problem."""

    class Mistaken(ReferenceModule):
        def forward(
            self, queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            output, weights = mistaken(self.problem(queries, keys, values, key_is_valid))
            return output.to(queries.dtype), weights.to(queries.dtype)

    return {"MultiHeadAttention": Mistaken}


def wrong_weights(mistake: str, problem: Problem) -> tuple[Tensor, Tensor]:
    """Weights with one mistake, and an output of the right shape."""
    mistakes = reference.mistaken_weights(problem)
    return problem.queries, mistakes.get(mistake, reference.multi_head_attention(problem)[1])


def wrong_output(mistake: str, problem: Problem) -> tuple[Tensor, Tensor]:
    """An output with one mistake, of the right weights."""
    weights = reference.multi_head_attention(problem)[1]
    return reference.mistaken_outputs(problem, weights)[mistake], weights


def test_mistakes_of_the_weights_are_called_by_their_names(plan: Plan) -> None:
    for mistake in reference.mistaken_weights(draw_self(check_generator(1, "x"), SHAPES[0])):
        wrong = mistaken_module(lambda problem, mistake=mistake: wrong_weights(mistake, problem))
        assert hint(plan, "multi_head_self_weights", 3, wrong) == mistake


def test_mistakes_of_the_mask_are_called_by_their_names(plan: Plan) -> None:
    plain = reference.mistaken_weights(draw_self(check_generator(1, "x"), SHAPES[0]))
    masked = reference.mistaken_weights(draw_padded(check_generator(1, "x"), SHAPES[0]))
    assert len(masked) - len(plain) >= 6
    for mistake in masked.keys() - plain.keys():
        wrong = mistaken_module(lambda problem, mistake=mistake: wrong_weights(mistake, problem))
        assert hint(plan, "multi_head_mask_values", 3, wrong) == mistake


@pytest.mark.parametrize("shape", [*PADDED, *ODD_SHAPES], ids=str)
def test_no_mistake_of_the_scale_has_the_value_of_another_fault(shape: Any) -> None:
    """Where as many keys or heads as columns make a wrong divisor right, whoever ignores the mask is told of the mask."""
    for seed in SEEDS:
        problem = draw_padded(check_generator(seed, "x"), shape)
        ignored = reference.multi_head_attention(problem._replace(key_is_valid=None))[1]
        known = [name for name, wrong in reference.mistaken_weights(problem).items() if torch.allclose(wrong, ignored)]
        assert [name for name in known if "scale" in name or "divided" in name] == []
        assert known[0] == "the mask is not used"


def test_a_mask_that_is_ignored_for_other_lengths_costs_a_mask_point(plan: Plan) -> None:
    def square_alone(problem: Problem) -> tuple[Tensor, Tensor]:
        square = problem.queries.shape == problem.keys.shape
        return reference.multi_head_attention(problem if square else problem._replace(key_is_valid=None))

    for seed in SEEDS:
        lost = fallen(plan, right_names() | mistaken_module(square_alone), seed)
        assert lost == {"multi_head_mask_values", "multi_head_parity"}


def test_keys_that_are_made_from_the_queries_are_told(plan: Plan) -> None:
    def keys_ignored(problem: Problem) -> tuple[Tensor, Tensor]:
        if problem.queries.shape != problem.keys.shape:
            return reference.multi_head_attention(problem)
        return reference.multi_head_attention(problem._replace(keys=problem.queries))

    told = hint(plan, "multi_head_cross_weights", 3, mistaken_module(keys_ignored))
    assert told.startswith("the keys are made from the queries")


def test_mistakes_of_the_output_are_called_by_their_names(plan: Plan) -> None:
    problem = draw_self(check_generator(1, "x"), SHAPES[0])
    for mistake in reference.mistaken_outputs(problem, reference.multi_head_attention(problem)[1]):
        wrong = mistaken_module(lambda problem, mistake=mistake: wrong_output(mistake, problem))
        assert hint(plan, "multi_head_output", 3, wrong) == mistake


def test_the_mean_over_heads_is_told(plan: Plan) -> None:
    def averaged(problem: Problem) -> tuple[Tensor, Tensor]:
        output, weights = reference.multi_head_attention(problem)
        return output, weights.mean(dim=1)

    for check in ("multi_head_self_weights", "multi_head_cross_weights"):
        assert hint(plan, check, 3, mistaken_module(averaged)).startswith("this is the mean over heads")


def test_a_mistake_that_no_one_knows_is_given_no_name(plan: Plan) -> None:
    def odd(problem: Problem) -> tuple[Tensor, Tensor]:
        return reference.multi_head_attention(problem._replace(queries=problem.queries / 3.3))

    assert hint(plan, "multi_head_self_weights", 3, mistaken_module(odd)) == ""


def assert_all_differ(right: Tensor, mistakes: Mapping[str, Tensor]) -> None:
    """Far apart, where the shapes agree."""
    named = [("right", right.double()), *((name, wrong.double()) for name, wrong in mistakes.items())]
    for i, (name, value) in enumerate(named):
        for other, another in named[i + 1 :]:
            assert float((value - another).abs().max()) > 1e-3, (name, other)


def test_known_mistakes_differ_from_what_is_right_and_from_each_other() -> None:
    for seed in SEEDS:
        generator = check_generator(seed, "x")
        for problem in (draw_self(generator, SHAPES[0]), draw_cross(generator, ODD_SHAPES[0])):
            output, weights = reference.multi_head_attention(problem)
            assert_all_differ(weights, reference.mistaken_weights(problem))
            assert_all_differ(output, reference.mistaken_outputs(problem, weights))
        rows, heads = draw_rows(generator, HEAD_SHAPES[0]), draw_heads(generator, HEAD_SHAPES[0])
        assert_all_differ(reference.split_heads(rows, HEAD_SHAPES[0][2]), reference.mistaken_splits(rows, HEAD_SHAPES[0][2]))
        assert_all_differ(reference.merge_heads(heads), reference.mistaken_merges(heads))


# Odd modules.


class Cumbersome(ReferenceModule):
    """Layers that another order of construction, buffers and biases of zero surround."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__(d_model, n_heads)
        self.register_buffer("table", torch.arange(3))
        self.idle = nn.Linear(2, 2)


def test_buffers_and_idle_layers_cost_nothing(plan: Plan) -> None:
    assert fallen(plan, {**right_names(), "MultiHeadAttention": Cumbersome}, 11) == set()


def test_a_bias_costs_the_points_of_the_layers_alone(plan: Plan) -> None:
    class Biased(ReferenceModule):
        def __init__(self, d_model: int, n_heads: int) -> None:
            super().__init__(d_model, n_heads)
            self.W_V = nn.Linear(d_model, d_model)

        def forward(
            self, queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            output, weights = super().forward(queries, keys, values, key_is_valid)
            return output + self.W_O(self.W_V.bias), weights

    assert fallen(plan, {**right_names(), "MultiHeadAttention": Biased}, 11) == {"multi_head_layers"}
    assert CELL in plan.assignment.points
