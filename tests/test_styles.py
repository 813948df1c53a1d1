"""Styles by machine: every transform keeps the meaning of what it changes, applies somewhere, and costs nobody a point."""

from __future__ import annotations

import contextlib
import io
import json
import math
import random
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn

from grading.course import Plan, find_course, load_plan
from grading.runners import LocalRunner, Runner
from grading.score import score
from tests.styles.layout import ANSWER_CELL, OWN_CELL
from tests.styles.population import (
    STYLES,
    Judged,
    Styled,
    changed,
    composed,
    compositions,
    culprits,
    is_python,
    judged,
    packed_styles,
    pieces,
    single_styles,
    solved_cells,
)

SEED = 20_240
ASSIGNMENTS = find_course().assignments()
NOT_PYTHON = ("with_magic_lines", "timed_by_magic", "captured_by_magic")  # IPython runs these; they are judged in the sandbox

SAMPLE = '''
def attention(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, d_k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Weighted values.

    And the weights.
    """
    # why: the root
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


def masked(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    if not bool(mask.any()):
        raise ValueError("nothing to see")
    if x.shape[-1] > 40:
        return x
    padded = ~mask
    scores = x.unsqueeze(-1).squeeze(-1).masked_fill(padded, -math.inf)
    return (torch.softmax(scores, dim=-1) * x).sum(dim=-1)


def spread(n: int, generator: torch.Generator) -> float:
    rows = []
    for width in (2, 3):
        drawn = torch.randn(n, width, generator=generator).double()
        rows.append((width, drawn.var().item()))
    return sum(value for _, value in rows)


class Layer(nn.Module):
    """One layer."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.W_k = nn.Linear(d, d, bias=False)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mixed = torch.tanh(self.W_k(x))
        return mixed, mixed.unsqueeze(1)


CLAIMS = {"A": None, "B": None, "C": None, "D": None}
CLAIMS = {"A": True, "B": False, "C": True, "D": False}
'''


def run(text: str) -> dict[str, Any]:
    """What a text's cells define, one after another."""
    names: dict[str, Any] = {"torch": torch, "math": math, "nn": nn, "np": np, "plt": plt, "__name__": "notebook"}
    before, answer, after = pieces(text)
    for piece in (*before, answer, *after):
        with contextlib.suppress(RuntimeError, AssertionError):  # styles whose last line raises
            exec(compile(piece, "cell", "exec", dont_inherit=True), names)
    return names


def plain(value: Any) -> Any:
    """Tensors and pairs as lists."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def observed(names: Mapping[str, Any]) -> dict[str, Any]:
    """What the sample's functions answer, with gradients, and what they refuse."""
    generator = torch.Generator().manual_seed(1)
    Q, K, V = (torch.randn(2, n, 4, generator=generator, dtype=torch.float64, requires_grad=True) for n in (3, 5, 5))
    output, weights = names["attention"](Q, K, V, d_k=4)
    output.square().sum().backward()
    x, mask = torch.randn(3, 6, generator=generator), torch.tensor([[True] * 6, [True, False] * 3, [True] + [False] * 5])
    layer = names["Layer"](4)
    with torch.no_grad():
        layer.W_k.weight.copy_(torch.arange(16.0).reshape(4, 4) / 16)
    with pytest.raises(ValueError, match="nothing"):
        names["masked"](x, ~mask & mask)
    return {
        "attention": [plain(output), plain(weights), plain(Q.grad), plain(K.grad), plain(V.grad)],
        "masked": plain(names["masked"](x, mask)),
        "spread": float(names["spread"](50, torch.Generator().manual_seed(2))),
        "layer": [plain(part) for part in layer(torch.ones(2, 4))],
        "state": list(layer.state_dict()),
        "claims": dict(sorted(names["CLAIMS"].items())),
    }


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    return {name: load_plan(find_course(), name) for name in ASSIGNMENTS}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return observed(run(SAMPLE))


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Nothing is printed, and what styles switch in torch, numpy and random is put back."""
    threads, states, shown = torch.get_num_threads(), (torch.get_rng_state(), random.getstate()), np.get_printoptions()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(False)
            torch.autograd.set_detect_anomaly(False)
            torch.set_num_threads(threads)
            torch.set_printoptions(profile="default")
            np.set_printoptions(**shown)
            torch.set_rng_state(states[0])
            random.setstate(states[1])
            plt.close("all")


def expect_same(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """The same answers, in whatever order they were summed: 1e-6 in float32."""
    for key in ("attention", "masked", "layer"):
        for part, value in zip(found[key], expected[key], strict=True):
            np.testing.assert_allclose(part, value, rtol=0, atol=1e-6, err_msg=key)
    assert found["spread"] == pytest.approx(expected["spread"], rel=1e-6)
    assert (found["state"], found["claims"]) == (expected["state"], expected["claims"])


@pytest.mark.parametrize("name", STYLES)
def test_a_style_keeps_the_meaning_of_a_sample(expected: dict[str, Any], name: str) -> None:
    new = changed(STYLES[name], SAMPLE)
    if new is None or name in NOT_PYTHON:
        return  # the next test shows where it changes something
    with undisturbed():
        expect_same(observed(run(new)), expected)


@pytest.mark.parametrize("seed", range(12))
def test_several_styles_together_keep_the_meaning_of_a_sample(expected: dict[str, Any], seed: int) -> None:
    text, chain = composed(SAMPLE, random.Random(seed), 6)
    if chain[-1] not in NOT_PYTHON:
        with undisturbed():
            expect_same(observed(run(text)), expected)


def test_there_are_many_styles_and_each_changes_a_cell_of_the_course(plans: dict[str, Plan]) -> None:
    assert len(STYLES) >= 150
    cells = [text for plan in plans.values() for cell, text in solved_cells(plan).items()]
    for name, style in STYLES.items():
        new = next((new for text in cells if (new := changed(style, text)) is not None), None)
        assert new is not None, f"{name} changes no cell"
        assert name in NOT_PYTHON or is_python(new), f"{name} makes what is no Python"


def test_a_text_may_stand_in_several_cells() -> None:
    text = f"{OWN_CELL}a = 1\n{ANSWER_CELL}# see above\n{OWN_CELL}b = 2\n"
    assert pieces(text) == (["a = 1\n"], "# see above\n", ["b = 2\n"])
    assert pieces("a = 1\n") == ([], "a = 1\n", [])


def judge(plan: Plan, styled: Styled, runner: Runner) -> Judged:
    return judged(plan, styled, lambda submission: score(submission, plan, runner, SEED).result)


def test_a_style_that_changes_the_meaning_is_caught_and_its_cell_named(plan: Plan) -> None:
    texts = {cell: text.replace("math.sqrt(d_k)", "d_k") for cell, text in solved_cells(plan).items()}
    styled = Styled(plan.assignment.name, texts, dict.fromkeys(texts, ("scale_without_root",)))
    fallen = judge(plan, styled, LocalRunner())
    assert fallen.lost
    found = culprits(plan, fallen, lambda submission: score(submission, plan, LocalRunner(), SEED).result)
    assert [list(one.styled.texts) for one in found] == [["attention_answer"]]


@pytest.mark.parametrize("assignment", ["m1_attention", "m4_masking"])
def test_cells_each_in_another_style_keep_full_marks(plans: dict[str, Plan], sandbox: Runner, assignment: str) -> None:
    seen: set[str] = set()
    for styled in packed_styles(plans[assignment]):
        assert judge(plans[assignment], styled, sandbox).lost == {}, styled.styles
        seen |= {name for chain in styled.styles.values() for name in chain}
    assert len(seen) >= 150


def test_one_style_goes_through_every_cell_that_it_changes(plan: Plan) -> None:
    (styled,) = single_styles(plan, ["product_as_einsum"])
    assert list(styled.texts) == [c for c, text in solved_cells(plan).items() if "@" in text]
    assert judge(plan, styled, LocalRunner()).lost == {}


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_compositions_keep_full_marks(plans: dict[str, Plan], sandbox: Runner, assignment: str) -> None:
    count = 1 if assignment == "m5_date_rematch" else 2
    for styled in compositions(plans[assignment], range(count), SEED):
        assert judge(plans[assignment], styled, sandbox).lost == {}, styled.styles


def test_compositions_are_drawn_anew_by_another_seed_alone(plan: Plan) -> None:
    first, again, other = (next(iter(compositions(plan, range(1), seed))) for seed in (1, 1, 2))
    assert first == again
    assert first.styles != other.styles


@pytest.mark.usefixtures("needs_sandbox")
def test_the_command_counts_what_it_judged() -> None:
    options = ["stretch_multihead", "--json", "--compositions", "1", "--workers", "1", "--style", "indented_by_tabs"]
    done = subprocess.run([sys.executable, "-m", "tests.styles", *options], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["assignment"], found["styled_answers"], found["by_style"]) == ("stretch_multihead", 3, {"indented_by_tabs": 3})
    assert found["compositions"] == 1
    assert found["lost"] == []
