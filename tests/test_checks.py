"""Checks decide: a verdict for everything that can come back, and never a PASS for what is our own fault."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
import torch

from grading.checks import (
    Assignment,
    Check,
    CheckFailed,
    CheckForbidden,
    NoSuchAssignment,
    check,
    check_generator,
    load_assignment,
    total_points,
)
from grading.expectations import expect_close, expect_pair, expect_tensor
from grading.messages import Explanation
from grading.student import (
    Student,
    StudentDied,
    StudentError,
    StudentFault,
    StudentMemory,
    StudentMissing,
    StudentTimeout,
    local_student,
)
from grading.verdict import CheckResult, Result, Verdict, decide_status, earned, sum_points
from grading.wire import Frame, WireError

NOTHING = Explanation({})


def asked(question: Any, student: Student | None = None) -> CheckResult:
    """The result of a check of 1.5 points that asks this question."""
    made = Check("name", "cell", 1.5, ("f",), "what is checked", question)
    return made.run(student or local_student({}, "cell"), 1, NOTHING)


def raising(error: BaseException) -> Any:
    def question(student: Student, generator: torch.Generator) -> None:
        raise error

    return question


OUTCOMES = {
    "a failure": (CheckFailed("three", "four"), Verdict.FAIL),
    "what is forbidden": (CheckForbidden("ready made"), Verdict.FORBIDDEN),
    "an error": (StudentError("f", ["ValueError"], "", None), Verdict.ERROR),
    "a missing name": (StudentMissing("f"), Verdict.ERROR),
    "an ended process": (StudentDied("exit 3"), Verdict.ERROR),
    "another fault": (StudentFault("x"), Verdict.ERROR),
    "no answer in time": (StudentTimeout("4 s"), Verdict.TIMEOUT),
    "too much memory": (StudentMemory("x"), Verdict.MEMORY),
    "a broken pipe's rules": (WireError("no JSON"), Verdict.ERROR),
    "a fault of ours": (KeyError("x"), Verdict.UNGRADED),
    "an assert of ours": (AssertionError(), Verdict.UNGRADED),
    "our memory": (MemoryError(), Verdict.UNGRADED),
    "our recursion": (RecursionError(), Verdict.UNGRADED),
}


@pytest.mark.parametrize(("error", "verdict"), OUTCOMES.values(), ids=OUTCOMES.keys())
def test_every_kind_of_outcome_has_its_verdict_and_earns_nothing(error: Exception, verdict: Verdict) -> None:
    result = asked(raising(error))
    assert result.verdict is verdict
    assert (result.points, result.max_points) == (0.0, 1.5)
    assert result.message


def test_a_question_that_returns_has_passed_whatever_it_returns() -> None:
    for value in (None, False, 0):
        result = asked(lambda student, generator, value=value: value)
        assert (result.verdict, result.points) == (Verdict.PASS, 1.5)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()], ids=repr)
def test_an_interrupt_of_the_run_is_no_verdict(error: BaseException) -> None:
    with pytest.raises(type(error)):
        asked(raising(error))


def test_a_fault_of_ours_tells_its_class_and_not_its_text() -> None:
    message = asked(raising(ValueError("the hidden input was 0.1234"))).message
    assert "ValueError" in message
    assert "0.1234" not in message
    assert "a person will look at it" in message


def test_a_failure_says_four_things_and_the_mistake_before_the_hint() -> None:
    message = asked(raising(CheckFailed("three", "four", "count again", "you forgot the last"))).message
    assert message == "Checked: what is checked. Came back: three. Expected: four. Hint: you forgot the last."
    assert "Hint: count again." in asked(raising(CheckFailed("three", "four", "count again"))).message


class Forging:
    """A transport whose other side has been taken over."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        return Frame(self.header, b"")


FORGED = {
    "no value": {},
    "a huge integer": {"value": 10**400},
    "a form of no kind": {"value": {"x": 1}},
    "a tensor of no bytes": {"value": {"tensor": {"dtype": "float32", "shape": [3, 4], "at": 0, "size": 48}}},
    "an empty tensor": {"value": {"tensor": {"dtype": "float64", "shape": [3, 0], "at": 0, "size": 0}}},
    "an error without text": {"error": {"classes": ["A"]}},
    "no gradients": {"value": 1, "gradients": []},
    "a pair of nothing": {"value": [None, None]},
    "a named pair": {"value": {"tuple": [1, 2], "fields": ["__class__", "shape"]}},
    "a verdict": {"value": True, "verdict": "PASS", "points": 100},
}


@pytest.mark.parametrize("header", FORGED.values(), ids=FORGED.keys())
def test_a_forged_reply_is_neither_a_pass_nor_left_to_a_person(header: dict[str, Any]) -> None:
    def question(student: Student, generator: torch.Generator) -> None:
        expected = torch.ones(3, 4, dtype=torch.float64)
        expect_close(student.f(), expected, "it")

    def pair(student: Student, generator: torch.Generator) -> None:
        for part in expect_pair(student.f(), ("the output", "the weights")):
            expect_tensor(part, (3, 4), "it")

    for one in (question, pair):
        verdict = asked(one, Student(Forging(header), "cell", {})).verdict
        assert verdict in (Verdict.FAIL, Verdict.ERROR)


# Generators.


def test_a_checks_inputs_depend_on_the_seed_and_its_own_name_alone() -> None:
    def draw(seed: int, name: str) -> list[float]:
        return torch.rand(4, generator=check_generator(seed, name), dtype=torch.float64).tolist()

    assert draw(1, "a") == draw(1, "a")
    draws = [draw(seed, name) for seed in (0, 1, 2**62 - 1) for name in ("a", "b", "ab", "")]
    assert len({tuple(d) for d in draws}) == len(draws)


def test_what_one_check_draws_does_not_move_the_next() -> None:
    drawn = []

    def question(student: Student, generator: torch.Generator) -> None:
        drawn.append(torch.rand(3, generator=generator).tolist())

    greedy = check("greedy", cell="c", points=1, uses=(), about="x")(lambda s, g: torch.rand(1000, generator=g) and None)
    plain = check("plain", cell="c", points=1, uses=(), about="x")(question)
    student = local_student({}, "c")
    plain.run(student, 3, NOTHING)
    greedy.run(student, 3, NOTHING)
    plain.run(student, 3, NOTHING)
    assert drawn[0] == drawn[1]


# Assignments.


def made(name: str, cell: str, points: float, *uses: str) -> Check:
    return Check(name, cell, points, uses, "about", raising(CheckFailed("", "")))


def test_an_assignment_knows_the_checks_and_the_names_of_a_cell() -> None:
    checks = (made("one", "a", 0.5, "g", "f"), made("two", "a", 0.25, "f"), made("three", "b", 1))
    assignment = Assignment("x", {"a": 0.75, "b": 1}, checks=checks)
    assert [c.name for c in assignment.checks_of("a")] == ["one", "two"]
    assert assignment.kept_names("a") == ("f", "g")
    assert assignment.kept_names("nothing") == ()
    assert total_points(assignment.checks) == 1.75


def test_an_assignment_without_a_module_or_a_declaration_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoSuchAssignment, match=r"nowhere\.py is missing"):
        load_assignment("nowhere")
    monkeypatch.setitem(sys.modules, "grader_tests.silent", ModuleType("grader_tests.silent"))
    with pytest.raises(NoSuchAssignment, match="declares no ASSIGNMENT"):
        load_assignment("silent")


def test_a_module_of_checks_that_needs_a_module_which_is_missing_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

    monkeypatch.setattr("grading.checks.importlib.import_module", fail)
    with pytest.raises(ModuleNotFoundError, match="pandas"):
        load_assignment("m1_attention")


# Verdicts.


@pytest.mark.parametrize("verdict", Verdict)
def test_only_a_pass_earns(verdict: Verdict) -> None:
    assert earned(verdict, 2.5) == (2.5 if verdict is Verdict.PASS else 0.0)


def results(*verdicts: Verdict) -> tuple[CheckResult, ...]:
    return tuple(CheckResult(str(i), "a" if i < 2 else "b", earned(v, 1), 1, v, "") for i, v in enumerate(verdicts))


def test_one_undecided_check_leaves_its_cell_and_the_submission_ungraded() -> None:
    checks = results(Verdict.PASS, Verdict.UNGRADED, Verdict.PASS)
    result = Result("s", "a", decide_status(checks), 2, 3, 0, 1, (), checks, 0, "")
    assert result.status == "ungraded"
    assert result.cell_points("a") is None
    assert result.cell_points("b") == 1
    assert result.cell_points("no such cell") is None


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.UNGRADED])
def test_decided_checks_make_a_graded_submission(verdict: Verdict) -> None:
    assert decide_status(results(verdict, Verdict.PASS)) == "graded"


def test_a_submission_that_was_asked_nothing_is_ungraded() -> None:
    assert decide_status([]) == "ungraded"


def test_points_add_up_without_rounding_noise() -> None:
    assert sum_points([0.1] * 10) == 1.0


def test_a_result_is_plain_data() -> None:
    checks = results(Verdict.PASS)
    told = Result("s", "a", "graded", 1, 1, 0, 1, (), checks, 0, "").as_dict()
    assert told["checks"] == [{"check": "0", "cell": "a", "points": 1, "max_points": 1, "verdict": "PASS", "message": ""}]
    assert told["findings"] == []
