"""Answers that are wrong, broken or harmful: they cost their own points, in words, and the next submission nothing."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from grading.course import Plan
from grading.runners import SandboxRunner
from grading.sandbox.conversation import Outputs
from grading.sandbox.session import CellRun
from grading.sandbox.warm import SandboxFault
from grading.score import score
from grading.submission import Submission
from grading.wire import Frame
from tests.conftest import HandIn, Judge, earned, full

HEAD = "def additive_scores(queries, keys, W_q, W_k, v):\n"
RIGHT = "torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ v"
ENDLESS = "while True:\n    n = 1"
STUBBORN = "def spin():\n    while True: n = 1\nwhile True:\n    try: spin()\n    except BaseException: n = 2"
DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + ENDLESS


@dataclass(frozen=True)
class Case:
    """An answer to the first exercise: what its checks say, and what is found in which cell; of the exercise it gets `points`."""

    text: str
    said: str
    verdict: str = "ERROR"
    found: Mapping[str, str] = field(default_factory=dict)  # kind of finding: a part of its message
    points: float = 0.0

    @property
    def harmful(self) -> bool:
        """Whether it uses up something that others need, or ends a process."""
        return (
            self.verdict in ("TIMEOUT", "MEMORY")
            or bool({"timeout", "died", "long-output"} & set(self.found))
            or "exit" in self.text
        )


def body(text: str, *facts: str, **fields: object) -> Case:
    """An answer whose function does this."""
    return Case(HEAD + textwrap.indent(text, "    "), *facts, **fields)  # type: ignore[arg-type]


NOT_DEFINED = "The notebook does not define `additive_scores`"
ENDED = "Your code ended the process it ran in (asked `additive_scores`"
LATE = "Your code did not come back in time (asked `additive_scores`"
IN_ANSWER, IN_GRADED = "In the cell `additive_scores_answer`: ", "In the cell `additive_scores`: "
CASES = {
    "nothing": Case("", NOT_DEFINED),
    "a syntax error": Case(
        HEAD + "    return queries @@ W_q", NOT_DEFINED, found={"cell-error": IN_ANSWER + "it raised SyntaxError: invalid syntax"}
    ),
    "an indentation error": Case(HEAD + "return 1", NOT_DEFINED, found={"cell-error": IN_ANSWER + "it raised IndentationError"}),
    "a cell magic that is none": Case("%%nosuch\n" + HEAD + "    return 1", NOT_DEFINED),
    "no Python at all": Case(
        "I could not solve this one, sorry", NOT_DEFINED, found={"cell-error": IN_ANSWER + "it raised SyntaxError"}
    ),
    "another name": Case(HEAD.replace("additive", "additiv") + "    return 1", NOT_DEFINED),
    "an error before the definition": Case(
        "1 / 0\n" + HEAD + f"    return {RIGHT}", NOT_DEFINED, found={"cell-error": "ZeroDivisionError: division by zero"}
    ),
    "an error after the definition": Case(HEAD + f"    return {RIGHT}\n1 / 0", "", found={"cell-error": IN_ANSWER}, points=4.0),
    "a name that is not callable": Case("additive_scores = 3", "'int' object is not callable"),
    "an import that fails": Case(
        "import nosuch\n" + HEAD + f"    return {RIGHT}",
        NOT_DEFINED,
        found={"cell-error": IN_ANSWER + "it raised ModuleNotFoundError: No module named 'nosuch'"},
    ),
    "too few parameters": Case("def additive_scores(queries): return queries", "takes 1 positional argument but 5 were given"),
    "a name not defined": body(
        "return wrong_name",
        "raised NameError: name 'wrong_name' is not defined in the cell `additive_scores_answer`, line 2: `return wrong_name`",
    ),
    "sys.exit in a cell": Case("import sys; sys.exit(0)", NOT_DEFINED, found={"cell-error": IN_ANSWER + "it raised SystemExit"}),
    "sys.exit in a function": body("import sys; sys.exit(0)", "raised SystemExit in the cell `additive_scores_answer`, line 2"),
    "input() in a cell": Case("n = input('how many? ')", NOT_DEFINED, found={"cell-error": IN_ANSWER + "it raised EOFError"}),
    "input() in a function": body("return input()", "Nobody can answer `input()` while a notebook is graded."),
    "os._exit in a cell": Case(
        "import os; os._exit(0)", NOT_DEFINED, found={"died": IN_ANSWER + "it ended the process with exit status 0"}
    ),
    "os._exit in a function": body("import os; os._exit(0)", ENDED, found={"died": IN_GRADED + "it ended the process"}),
    "a segfault in a cell": Case(
        "import ctypes; ctypes.string_at(0)", NOT_DEFINED, found={"died": IN_ANSWER + "the process was ended by SIGSEGV"}
    ),
    "a segfault in a function": body("import ctypes; ctypes.string_at(0)", ENDED),
    "endless in a cell": Case(ENDLESS, NOT_DEFINED, found={"timeout": IN_ANSWER + "it used more than 2 s of processor time"}),
    "endless in a function": body(ENDLESS, LATE, "TIMEOUT", found={"timeout": IN_GRADED + "it used more than 2 s"}),
    "endless and stubborn": body(STUBBORN, LATE, "TIMEOUT", found={"timeout": "could not be interrupted"}),
    "endless and deaf": body(DEAF, LATE, "TIMEOUT", found={"timeout": "could not be interrupted"}),
    "asleep": body("import time; time.sleep(1000)", LATE, "TIMEOUT", found={"timeout": IN_GRADED + "it used more than"}),
    "100 MB printed in a cell": Case(
        "print('a' * 10**8)\n" + HEAD + f"    return {RIGHT}", "", found={"long-output": IN_ANSWER + "9990"}, points=4.0
    ),
    "a line of 150 MB": Case(
        "print('a' * 150_000_000, end='')\n" + HEAD + f"    return {RIGHT}",
        "",
        found={"long-output": IN_ANSWER + "1499"},
        points=4.0,
    ),
    "6 GB in a cell": Case("n = bytearray(6 * 10**9)", NOT_DEFINED, found={"cell-error": IN_ANSWER + "it raised MemoryError"}),
    "6 GB in a function": body(
        "return bytearray(6 * 10**9)", "more memory than a submission may have (asked `additive_scores`)", "MEMORY"
    ),
    "6 GB of tensor": body(
        "return torch.zeros(15 * 10**8)", "more memory than a submission may have (asked `additive_scores`)", "MEMORY"
    ),
    "nothing returned": body("n = 1", "the scores as None", "FAIL"),
    "a text": body("return 'scores'", "the scores as a str", "FAIL"),
    "a list": body(f"return ({RIGHT}).tolist()", "the scores as a list of", "FAIL"),
    "an array": body(f"return ({RIGHT}).detach().numpy()", "the scores as a numpy array of shape (3, 5)", "FAIL"),
    "a class": body("return torch.Tensor", "the scores as an object of", "FAIL"),
    "an iterator": body("yield 1", "the scores as an object of", "FAIL"),
    "too few values": body(f"return ({RIGHT})[..., :-1]", "Expected: shape (3, 5)", "FAIL"),
    "another shape": body(f"return ({RIGHT}).unsqueeze(0)", "of shape (1, 3, 5)", "FAIL"),
    "no values": body("return torch.empty(0)", "of shape (0,)", "FAIL"),
    "another dtype": body(f"return ({RIGHT}).half().double()", "entries differ", "FAIL"),
    "whole numbers": body(f"return ({RIGHT}).long()", "the scores as an int64 tensor", "FAIL"),
    "NaN": body(f"return ({RIGHT}) * float('nan')", "entries are NaN or infinite", "FAIL"),
    "a sparse tensor": body(
        f"return ({RIGHT}).to_sparse()", "the scores as a tensor of a dtype or layout that is not asked for", "FAIL"
    ),
    "a tensor without memory": body(
        f"return ({RIGHT}).to('meta')", "the scores as a tensor of a dtype or layout that is not asked for", "FAIL"
    ),
    "a list of itself": body("n = []; n.append(n); return n", "the scores as a list of 1", "FAIL"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_answer_costs_its_own_points_and_the_next_submission_none(
    plan: Plan, judge: Judge, handed_in: HandIn, case: Case
) -> None:
    result = judge(handed_in({"additive_scores_answer": case.text}))
    assert (result.status, earned(plan, result)) == ("graded", full(plan, {"additive_scores": case.points}))
    messages = [check.message for check in result.checks if check.cell == "additive_scores"]
    assert case.said in messages[0]
    assert result.checks[0].verdict.value == ("PASS" if case.points else case.verdict)
    for kind, message in case.found.items():
        assert any(finding.kind == kind and message in finding.message for finding in result.findings), result.findings
    assert case.points or case.verdict == "FAIL" or all("`additive_scores`" in message for message in messages)
    if case.harmful:
        after = judge(handed_in())
        assert (after.points, after.findings) == (20.0, ())


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        ("attention", "import os; os._exit(3)", ("attention", "self_attention", "cross_attention")),
        ("soft_lookup", ENDLESS, ("soft_lookup",)),
    ],
)
def test_an_answer_that_many_cells_call_costs_what_depends_on_it_alone(
    plan: Plan, judge: Judge, handed_in: HandIn, name: str, text: str, lost: tuple[str, ...]
) -> None:
    result = judge(handed_in({f"{name}_answer": f"def {name}(*given):\n" + textwrap.indent(text, "    ")}))
    assert (result.status, earned(plan, result)) == ("graded", full(plan, dict.fromkeys(lost, 0.0)))


def test_a_cell_that_breaks_torch_for_good_costs_what_stands_below_it(plan: Plan, judge: Judge, handed_in: HandIn) -> None:
    result = judge(
        handed_in({"m1_claims_answer": "del torch\nCLAIMS = dict(zip('ABCDEFGH', map(bool, [0, 1, 1, 0, 0, 0, 1, 1])))"})
    )
    assert result.status == "graded"
    assert earned(plan, result)["m1_claims"] == 1.0
    assert judge(handed_in()).points == 20.0


def test_a_fault_of_ours_is_ungraded_and_no_point_is_lost(
    plan: Plan, sandbox: SandboxRunner, handed_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise ZeroDivisionError("a mistake of ours")

    first, *others = plan.assignment.checks
    broken = replace(plan, assignment=replace(plan.assignment, checks=(replace(first, question=fails), *others)))
    result = score(Submission("student", plan.assignment.name, handed_in()), broken, sandbox, 1).result
    assert result.status == "ungraded"
    assert earned(plan, result) == {**full(plan), "additive_scores": None}
    assert "No points are lost by this." in result.checks[0].message


class BrokenStay:
    """A stay whose sandbox goes while a check is asked."""

    def __init__(self) -> None:
        self.runs: dict[str, CellRun] = {}
        self.record = Outputs(0)

    def __enter__(self) -> BrokenStay:
        return self

    def __exit__(self, *reason: object) -> None:
        return None

    def run_cells(self) -> None:
        return None

    begin_check = run_cells

    def ask(self, header: object, blob: object) -> Frame:
        raise SandboxFault("the sandbox's parent has gone")


class BrokenRunner:
    description = "broken"

    def open(self, *given: object) -> BrokenStay:
        return BrokenStay()


def test_a_sandbox_that_goes_while_a_check_is_asked_leaves_the_whole_submission_ungraded(plan: Plan, handed_in: HandIn) -> None:
    result = score(Submission("student", plan.assignment.name, handed_in()), plan, BrokenRunner(), 1).result
    assert result.status == "ungraded"
    assert set(earned(plan, result).values()) == {None}
    assert [finding.kind for finding in result.findings] == ["grader-fault"]
