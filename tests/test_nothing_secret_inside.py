"""While a check is running, no object in the child holds what the trusted side knows: expected values, references, seeds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grading.build import release_notebook
from grading.checks import check_generator
from grading.course import Plan, find_course, load_plan, solved_files
from grading.limits import Limits
from grading.notebooks import is_answer, write
from grading.runners import LocalRunner, LocalStay, SandboxRunner
from grading.sandbox.session import CellToRun
from grading.score import score
from grading.submission import Submission
from grading.trial import own_cell
from grading.wire import Bounds, Decoder, Frame, WireError

SEED = 3_141_592_653_589_793
WALK = (Path(__file__).parent / "walk_inside.py").read_text()
# A walk takes seconds and writes megabytes; no limit may cut it short.
PATIENT = Limits(
    check_cpu_s=200, check_wall_s=400, submission_cpu_s=900, submission_wall_s=1800, cell_output_bytes=10**9, output_bytes=10**9
)


class Listening(LocalRunner):
    """Runs a notebook in this process and notes every value that it answers, and every array that it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Any] = []
        self.sent: set[tuple[float, ...]] = set()

    def open(self, cells: Sequence[CellToRun], files: Mapping[str, bytes], limits: Limits) -> LocalStay:
        stay = LocalStay(cells, files)
        ask = stay.ask

        def listen(header: dict[str, Any], blob: bytes) -> Frame:
            self.sent |= {key(entries) for entries in sent_arrays([header.get("args"), header.get("kwargs")], blob)}
            frame = ask(header, blob)
            try:
                self.heard += [Decoder(frame.blob, Bounds()).value(frame.header.get("value"))]
            except WireError:
                self.heard += [None]
            return frame

        stay.ask = listen  # type: ignore[method-assign]
        return stay


def sent_arrays(form: Any, blob: bytes) -> Iterator[list[float]]:
    """The arrays of floats among the forms of arguments, at any depth."""
    if isinstance(form, dict) and "tensor" in form:
        yield from arrays(Decoder(blob, Bounds()).value(form))
    elif isinstance(form, (dict, list)):
        for part in form.values() if isinstance(form, dict) else form:
            yield from sent_arrays(part, blob)


def arrays(value: Any) -> Iterator[list[float]]:
    """The entries of every array of floats in an answer: long enough that no constant of a library is meant."""
    if isinstance(value, torch.Tensor) and value.dtype.is_floating_point and value.numel() >= 3:
        entries = value.detach().double().flatten().tolist()
        if len({round(x, 6) for x in entries}) >= 3:
            yield entries
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from arrays(part)
    elif isinstance(value, dict):
        yield from arrays(list(value.values()))


@dataclass(frozen=True)
class Sight:
    """What the walks in the child found, and what a right notebook would have answered."""

    walks: list[dict[str, Any]]
    expected: list[list[float]]

    def found(self) -> list[list[float]]:
        """Expected arrays that stand somewhere in the child, to six digits."""
        there = {key(entries) for walk in self.walks for entries in walk["arrays"] if all(map(math.isfinite, entries))}
        return [entries for entries in self.expected if all(map(math.isfinite, entries)) and key(entries) in there]


def key(entries: list[float]) -> tuple[float, ...]:
    return tuple(float(f"{x:.5e}") for x in entries)


def answers_of(plan: Plan) -> list[list[float]]:
    """Every array that a right notebook answers under the seed, save what it was sent, as the weights of a module are. What is
    asked with published inputs is no secret."""
    listening = Listening()
    files = solved_files(find_course(), plan.assignment)
    submission = Submission("right", plan.assignment.name, write(plan.blueprint.notebook).encode(), files=files)
    result = score(submission, plan, listening, SEED).result
    assert result.points == result.max_points
    return [entries for value in listening.heard for entries in arrays(value) if key(entries) not in listening.sent]


def functions_of(plan: Plan) -> list[str]:
    return sorted({name for check in plan.assignment.checks for name in check.uses if not name.isupper()})


def look(plan: Plan, sandbox: SandboxRunner, more: str = "") -> Sight:
    """Score a notebook whose every function is a walk."""
    notebook = release_notebook(plan.blueprint.notebook)
    notebook.cells = [cell for cell in notebook.cells if not is_answer(cell)]
    text = WALK + more + "\n" + "\n".join(f"{name} = Asked()" for name in functions_of(plan))
    notebook.cells = [own_cell(text), *notebook.cells, own_cell("Asked.checks_ask = True")]
    patient = replace(plan, assignment=replace(plan.assignment, limits=PATIENT))
    scored = score(Submission("walker", plan.assignment.name, write(notebook).encode()), patient, sandbox, SEED)
    assert scored.result.status == "graded", scored.result.findings
    walks = [json.loads(line[5:]) for line in scored.record.splitlines() if line.startswith("WALK ")]
    return Sight(walks, answers_of(plan))


@pytest.fixture(scope="module", params=find_course().assignments())
def seen(request: pytest.FixtureRequest, sandbox: SandboxRunner) -> tuple[Plan, Sight]:
    plan = load_plan(find_course(), request.param)
    return plan, look(plan, sandbox)


def test_the_walks_were_long_and_saw_the_questions(seen: tuple[Plan, Sight]) -> None:
    plan, sight = seen
    # Of a notebook that answers nothing, a name that is only asked once another has answered is never asked.
    assert len(sight.walks) >= len(functions_of(plan)) / 2
    assert min(walk["count"] for walk in sight.walks) > 100_000
    assert len(sight.expected) > 10
    assert any(len(walk["arrays"]) > 5 for walk in sight.walks)


def test_no_expected_value_is_in_the_child(seen: tuple[Plan, Sight]) -> None:
    """An answer whose value is one of the arguments is none: a lookup of a row, say."""
    assert seen[1].found() == []


def test_no_reference_and_no_grader_is_in_the_child(seen: tuple[Plan, Sight]) -> None:
    plan, sight = seen
    known = ("grader_tests", "expect_close", "CheckFailed", "check_generator", "grading.checks", "assignment_seed")
    for walk in sight.walks:
        assert not [name for name in walk["modules"] if name.startswith(("grader_tests", "grading", "nbgrader", "tests"))]
        assert not [text for text in walk["texts"] if any(word in text for word in known)]
        names = {check.name for check in plan.assignment.checks} - set(functions_of(plan)) - set(plan.assignment.points)
        assert not [text for text in walk["texts"] if text in names]


def test_no_seed_of_ours_is_in_the_child(seen: tuple[Plan, Sight]) -> None:
    plan, sight = seen
    seeds = [SEED, *(check_generator(SEED, check.name).initial_seed() for check in plan.assignment.checks)]
    raw = [seed.to_bytes(8, order).hex() for seed in seeds for order in ("little", "big")]
    for walk in sight.walks:
        assert not set(map(str, seeds)) & set(walk["integers"])
        assert not [held for held in walk["bytes"] if any(form in held for form in raw)]


def test_a_planted_secret_is_found(plan: Plan, sandbox: SandboxRunner) -> None:
    """The walk can see: a value, a seed and a module that stand in the notebook are told."""
    hidden = answers_of(plan)[-1]
    plant = f"""
import types
class Deep:
    pass
deep = Deep(); deep.inner = [{{"x": (torch.tensor({hidden!r}, dtype=torch.float64),)}}]
deep.seed = {SEED}
sys.modules["grader_tests"] = types.ModuleType("grader_tests")
def closure(kept=deep):
    return lambda: kept
hidden_closure = closure(); del deep
"""
    sight = look(plan, sandbox, plant)
    assert hidden in sight.found()
    assert all(str(SEED) in walk["integers"] and "grader_tests" in walk["modules"] for walk in sight.walks)
