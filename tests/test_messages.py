"""What a student reads: their own words and well-known messages, and never a hidden input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grading.checks import Check, CheckFailed
from grading.expectations import expect_close, expect_pair
from grading.messages import Explanation, explain_error, explain_fault
from grading.sandbox.inside.client import Client
from grading.student import (
    LocalTransport,
    Student,
    StudentDied,
    StudentError,
    StudentFault,
    StudentMemory,
    StudentMissing,
    StudentTimeout,
)
from grading.verdict import Verdict

HIDDEN = torch.tensor([[0.31415, -926.5], [358.97, 9.3238]])
CELL = """
def attention(Q, K, V, d_k):
    scores = Q @ K
    return softmaks(scores) @ V
"""
EXPLAIN = Explanation({"<cell 4>": ("the cell `attention_answer`", CELL), "<cell 9>": ("your cell `x`", "")})


def told(message: str, *classes: str, where: tuple[str, int] | None = None) -> str:
    return explain_error(StudentError("attention", (*classes, "Exception", "object"), message, where), EXPLAIN)


# Well-known messages are repeated.


def raised_by(work: Callable[[], Any]) -> StudentError:
    try:
        work()
    except Exception as error:
        return StudentError("attention", [c.__name__ for c in type(error).__mro__], str(error), None)
    raise AssertionError("nothing was raised")


a, b = torch.ones(2, 3), torch.ones(4, 5)
WELL_KNOWN: dict[str, Callable[[], Any]] = {
    "shapes of a product": lambda: a @ b,
    "shapes of a batched product": lambda: torch.ones(2, 2, 3) @ torch.ones(2, 4, 5),
    "shapes of a sum": lambda: a + b,
    "shapes of two vectors": lambda: torch.ones(3) @ torch.ones(4),
    "shapes of matrix and vector": lambda: a @ torch.ones(4),
    "shapes of einsum": lambda: torch.einsum("ij,jk->ik", a, b),
    "axes of einsum": lambda: torch.einsum("ijk,jk->ik", a, b),
    "shapes of cat": lambda: torch.cat([a, b]),
    "dtypes of a product": lambda: a @ a.T.double(),
    "dtypes of two vectors": lambda: torch.ones(3) @ torch.ones(3).double(),
    "t of three axes": lambda: torch.ones(2, 3, 4).t(),
    "an axis that is not there": lambda: a.softmax(5),
    "a view of another size": lambda: a.view(4, 5),
    "bmm of two axes": lambda: torch.bmm(a, b),
    "the truth of many": lambda: bool(a),
    "a tensor as index": lambda: [1, 2][a],
    "a method that is not there": lambda: a.scores(),
    "a call of a tensor": lambda: a(1),
    "a number and None": lambda: a + None,
    "unpacking too many": lambda: exec("x, y = 1, 2, 3"),
    "unpacking too few": lambda: exec("x, y = (1,)"),
    "unpacking None": lambda: exec("x, y = None"),
    "an argument too few": lambda: (lambda Q: Q)(),
    "an argument too many": lambda: (lambda Q: Q)(1, 2),
    "a name that is not there": lambda: exec("softmaks"),
    "a leaf in place": lambda: torch.ones(2, requires_grad=True).add_(1),
    "a division by zero": lambda: 1 / 0,
    "an index": lambda: [][0],
    "a keyword": lambda: (lambda Q: Q)(K=1),
}


@pytest.mark.parametrize("work", WELL_KNOWN.values(), ids=WELL_KNOWN.keys())
def test_a_well_known_message_is_repeated(work: Callable[[], Any]) -> None:
    error = raised_by(work)
    message = explain_error(error, EXPLAIN)
    assert error.text.splitlines()[0] in message, message
    assert message.startswith(f"`attention` raised {error.classes[0]}")


# Nothing else is.

FORGED = [
    "0.31415 -926.5",
    "name 'q0_31415' is not defined",
    "name 'zero_point_three' is not defined",
    "'T31415' object is not callable",
    "'Tensor' object has no attribute 'm31415'",
    "f31415() missing 1 required positional argument: 'x'",
    "attention() missing 1 required positional argument: 'x31415'",
    "attention() missing 2 required positional arguments: 'three' and 'one'",
    "f.g31415() takes 1 positional argument but 2 were given",
    "attention() got an unexpected keyword argument 'k31415'",
    "cannot unpack non-iterable three_one_four object",
    "too many values to unpack (expected 2) 0.31415",
    "not enough values to unpack (expected 2, 0.31415",
    "unsupported operand type(s) for 0.31415: 'int' and 'int'",
    "unsupported operand type(s) for +: 'n31415' and 'int'",
    "einsum(): 31415 9265 358979 3238",
    "einsum(): subscript j has size 31415926535 for operand 1 which does not broadcast with previously seen size 3",
    "inconsistent tensor size, expected tensor [3] and src [4] to have the same number of elements, but 0.31415",
    "mat1 and mat2 shapes cannot be multiplied (31415926x5 and 4x5)",
    "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5) 0.31415",
    "shape '[3, 1, 4, 1, 5, 9, 2, 6]' is invalid for input of size 6",
    "expected scalar type f31415 but found Float",
    "division by zero 0.31415",
    "\n0.31415",
    "",
]


@pytest.mark.parametrize("text", FORGED)
@pytest.mark.parametrize("kind", ["RuntimeError", "NameError", "TypeError"])
def test_a_message_with_words_or_numbers_of_a_students_own_is_not_repeated(text: str, kind: str) -> None:
    assert told(text, kind) == f"`attention` raised {kind}."


def test_only_the_first_line_of_a_message_is_repeated() -> None:
    assert told("division by zero\n0.31415", "ZeroDivisionError") == "`attention` raised ZeroDivisionError: division by zero."


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        (("E0_31415", "ValueError"), "ValueError"),
        (("0.31415",), "Exception"),
        (("int", "print", "KeyError"), "KeyError"),
        (("OutOfMemoryError", "RuntimeError"), "RuntimeError"),
        (("SystemExit",), "SystemExit"),
    ],
)
def test_a_class_is_called_by_the_nearest_name_of_pythons_own(classes: tuple[str, ...], name: str) -> None:
    assert told("", *classes) == f"`attention` raised {name}."


def spilling(spill: Callable[[str], Any]) -> str:
    """The message of a check that hands hidden inputs to a function which does all it can to have them told."""

    def f(Q: torch.Tensor) -> Any:
        digits = "".join(c for c in str(Q.tolist()) if c.isdigit())
        return spill(digits)

    def question(student: Student, generator: torch.Generator) -> None:
        output, weights = expect_pair(student.f(HIDDEN), ("the output", "the weights"))
        expect_close(output, torch.ones(2, 2), "the output")
        expect_close(weights, torch.ones(2, 2), "the weights")

    student = Student(LocalTransport(Client({"f": f})), "cell", {})
    result = Check("name", "cell", 1, (), "f", question).run(student, 1, EXPLAIN)
    assert result.verdict is not Verdict.PASS
    return result.message


def throw(kind: type[BaseException], text: str) -> Any:
    raise kind(text)


SPILLS: dict[str, Callable[[str], Any]] = {
    "a text": lambda d: throw(ValueError, d),
    "a name": lambda d: throw(NameError, f"name 'n{d}' is not defined"),
    "a class": lambda d: throw(type(f"E{d}", (Exception,), {}), ""),
    "a missing name": lambda d: throw(type("NameMissing", (Exception,), {}), d),
    "a memory": lambda d: throw(MemoryError, d),
    "a result's class": lambda d: (type(f"R{d}", (), {})(), 1),
    "a result's class alone": lambda d: type(f"R{d}", (), {})(),
    "a result's shape": lambda d: (torch.zeros(0, int(d[:8])), 1),
    "a result's text": lambda d: (d, 1),
    "a result's number": lambda d: (int(d), 1),
    "a list": lambda d: [d] * 3,
    "a key": lambda d: ({d: 1}, 1),
    "an exit": lambda d: throw(SystemExit, d),
}


@pytest.mark.parametrize("spill", SPILLS.values(), ids=SPILLS.keys())
def test_no_hidden_input_reaches_a_message(spill: Callable[[str], Any]) -> None:
    message = spilling(spill)
    digits = "".join(c for c in str(HIDDEN.tolist()) if c.isdigit())
    plain = "".join(c for c in message if c.isdigit())
    assert not any(digits[i : i + 5] in plain for i in range(len(digits) - 4)), message


# Lines are quoted.


def test_the_line_that_an_error_came_from_is_quoted_in_the_students_own_words() -> None:
    message = told("name 'softmaks' is not defined", "NameError", where=("<cell 4>", 4))
    quoted = " in the cell `attention_answer`, line 4: `return softmaks(scores) @ V`."
    assert message == "`attention` raised NameError: name 'softmaks' is not defined" + quoted


@pytest.mark.parametrize(
    "where", [None, ("<cell 5>", 1), ("<cell 4>", 0), ("<cell 4>", -1), ("<cell 4>", 99), ("/etc/passwd", 1)]
)
def test_a_place_that_is_no_line_of_the_notebook_is_not_quoted(where: tuple[str, int] | None) -> None:
    assert told("", "ValueError", where=where) == "`attention` raised ValueError."


def test_a_long_line_is_cut_and_a_form_feed_ends_none() -> None:
    explain = Explanation({"<cell 1>": ("your cell", "x = '\x0c'\n" + "y" * 500)})
    assert explain.quote(("<cell 1>", 2)) == f" in your cell, line 2: `{'y' * 120}`"


def test_a_notebook_of_no_cells_quotes_nothing_and_repeats_what_needs_no_words() -> None:
    nothing = Explanation({})
    assert nothing.quote(("<cell 1>", 1)) == ""
    assert nothing.repeatable("division by zero")
    assert not nothing.repeatable("name 'x' is not defined")


# Every kind of fault.


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (StudentMissing("attention"), "does not define `attention`"),
        (StudentTimeout("more than 4 s"), "did not come back in time (more than 4 s)"),
        (StudentMemory("x"), "more memory than a submission may have"),
        (StudentDied("exit status 3"), "ended the process it ran in (exit status 3)"),
        (StudentFault("x"), "gave no answer"),
        (StudentError("f", ["NotImplementedError", "RuntimeError"], "", None), "still to be written"),
        (StudentError("f", ["EOFError"], "EOF when reading a line", None), "Nobody can answer `input()`"),
    ],
    ids=lambda v: "" if isinstance(v, str) else type(v).__name__,
)
def test_every_kind_of_fault_has_its_sentence(fault: StudentFault, words: str) -> None:
    assert words in explain_fault(fault, EXPLAIN)


def test_a_failure_without_a_hint_has_three_sentences() -> None:
    failure = CheckFailed("three", "four")
    message = EXPLAIN.failure("counting", failure.came, failure.expected, failure.hint)
    assert message == "Checked: counting. Came back: three. Expected: four."
