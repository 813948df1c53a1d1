"""`try`: the definitions of a file go into the solved notebook, as if a student had handed that in."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell

from grading.blueprint import Blueprint
from grading.checks import Assignment, Check
from grading.course import Plan
from grading.notebooks import open_notebook
from grading.runners import LocalRunner
from grading.score import score
from grading.student import Student
from grading.trial import UnusableFile, as_submission, bound_names, replace_definitions, source_of, take_apart
from tests.tiny_course import answer, graded, nbgrader_cell, source_notebook

NAMES = ("double", "triple", "CLAIMS", "half")


def values(student: Student, generator: object) -> None:
    assert student.double(2) == 4


SOURCE = source_notebook()
BOTH = "### BEGIN SOLUTION\nimport math\n\nCLAIMS = {}\nCLAIMS = {'A': True}\n\ndef half(x):\n    return x / 2\n### END SOLUTION"
SOURCE.cells.append(nbgrader_cell(new_code_cell(BOTH), "both_answer", solution=True))
CHECKS = tuple(Check(name, "double", 1, (name,), name, values) for name in NAMES)
PLAN = Plan(Assignment("tiny", {"double": 4}, checks=CHECKS), Blueprint(SOURCE))


def handed(text: str) -> dict[str, str]:
    """Texts of the cells of what `try` hands in, by grade id; the extra cell is called by its place."""
    content = as_submission(PLAN, "file", text).content
    assert content is not None
    cells = open_notebook(content).notebook.cells
    return {c.metadata.get("nbgrader", {}).get("grade_id") or f"{c.id} {i}": c.source for i, c in enumerate(cells)}


def ran(text: str) -> dict[str, object]:
    """The names that the code of what `try` hands in leaves."""
    namespace: dict[str, object] = {}
    for name, source in handed(text).items():
        if name.endswith("_answer") or name.startswith("own"):
            exec(source, namespace)
    return namespace


def applied(text: str, name: str, argument: object = 3) -> object:
    function = ran(text)[name]
    assert callable(function)
    return function(argument)


# What counts as a definition.

DEFINITIONS = {
    "a function": "def double(x):\n    return 'new'",
    "an async function": "async def double(x):\n    return 'new'",
    "a class": "class double:\n    pass",
    "a lambda": "double = lambda x: 'new'",
    "an annotated assignment": "double: object = lambda x: 'new'",
    "a decorated function": "import functools as f\n@f.cache\n@f.lru_cache(\n    maxsize=1\n)\ndef double(x):\n    return 'new'",
    "an import": "from operator import neg as double",
    "an import of a module": "import math as double",
    "a conditional": "if True:\n    def double(x):\n        return 'new'\nelse:\n    def double(x):\n        return 'old'",
    "a try": "try:\n    from nowhere import double\nexcept ImportError:\n    def double(x):\n        return 'new'",
    "a with": "import contextlib\nwith contextlib.nullcontext():\n    double = abs",
    "a for": "for double in (abs, len):\n    pass",
    "a while": "while True:\n    double = len\n    break",
    "a match": "match 1:\n    case 1:\n        double = len",
    "a tuple target": "double, other = abs, len",
    "a starred target": "(first, [double, *rest]) = 1, [2, 3]",
    "a chain": "other = double = abs",
    "a walrus": "(double := abs)",
    "an augmented assignment": "double = 1\ndouble += 1",
}


@pytest.mark.parametrize("text", DEFINITIONS.values(), ids=DEFINITIONS.keys())
def test_a_definition_of_any_kind_takes_the_place_of_the_solved_one(text: str) -> None:
    cells = handed(text)
    assert "return 2 * x" not in cells["double_answer"]
    assert "double" in cells["double_answer"]
    assert "return 3 * x" in cells["triple_answer"]
    own = [source for name, source in cells.items() if name.startswith("own")]
    assert not any(name in NAMES for source in own for s in ast.parse(source).body for name in bound_names(s))


NO_DEFINITIONS = {
    "a call": "print('double')",
    "an attribute": "import math\nmath.double = 1",
    "an item": "d = {}\nd['double'] = 1",
    "a name inside a function": "def helper():\n    double = 1\n    return double",
    "a name inside a comprehension": "numbers = [double for double in (1, 2)]",
    "an argument": "helper = lambda double: double",
    "a method": "class Helper:\n    def double(self):\n        pass",
    "a deletion": "try:\n    del double\nexcept NameError:\n    pass",
    "a read": "copy = 'double'",
}


@pytest.mark.parametrize("text", NO_DEFINITIONS.values(), ids=NO_DEFINITIONS.keys())
def test_what_binds_no_name_of_the_assignment_runs_in_a_cell_of_its_own(text: str) -> None:
    cells = handed(text)
    assert "return 2 * x" in cells["double_answer"]
    own = [source for name, source in cells.items() if name.startswith("own")]
    assert own == [text]


# Where it goes.


def test_the_rest_runs_once_before_the_first_replaced_cell() -> None:
    text = '"""A file."""\nimport math\n\ndef triple(x):\n    return help(x)\n\ndef help(x):\n    return "helped"\n'
    cells = list(handed(text))
    own = next(name for name in cells if name.startswith("own"))
    assert cells.index(own) == cells.index("triple_answer") - 1
    assert applied(text, "triple") == "helped"
    assert "help" not in handed(text)["triple_answer"].split("return")[0]


def test_a_file_that_replaces_nothing_runs_before_every_answer() -> None:
    cells = list(handed("x = 1"))
    assert cells.index("double_answer") - 1 == next(i for i, name in enumerate(cells) if name.startswith("own"))


def test_an_empty_file_is_the_solved_notebook() -> None:
    assert list(handed("")) == [
        c.metadata.get("nbgrader", {}).get("grade_id") or f"{c.id} {i}" for i, c in enumerate(SOURCE.cells)
    ]
    assert applied("", "double") == 6


def test_other_names_of_a_cell_stay_as_they_were_solved() -> None:
    found = ran("CLAIMS = {'A': False}")
    assert found["CLAIMS"] == {"A": False}
    assert applied("CLAIMS = {'A': False}", "half") == 1.5
    assert "math" in found
    assert handed("CLAIMS = 1")["both_answer"].count("CLAIMS") == 1


def test_a_name_defined_twice_is_defined_twice() -> None:
    text = "def double(x):\n    return 'first'\nkept = double\ndef double(x):\n    return 'second'"
    cells = handed("def double(x):\n    return 'first'\ndef double(x):\n    return 'second'")
    assert cells["double_answer"].index("first") < cells["double_answer"].index("second")
    assert applied(text.replace("kept = double\n", ""), "double") == "second"


@pytest.mark.parametrize(
    "text", ["double, triple = abs, len", "[triple, double] = len, abs", "(double, (triple,)) = abs, (len,)"]
)
def test_a_tuple_of_names_from_two_cells_defines_both(text: str) -> None:
    found = ran(text)
    assert (found["double"], found["triple"]) == (abs, len)


@pytest.mark.parametrize(
    "text",
    ["CLAIMS, half = {}, abs", "half, CLAIMS = abs, {}", "half = abs\nCLAIMS = {}", "for half, CLAIMS in [(abs, {})]: pass"],
)
def test_two_names_from_one_cell_are_both_replaced(text: str) -> None:
    found = ran(text)
    assert (found["CLAIMS"], found["half"]) == ({}, abs)


def test_replacing_keeps_the_place_of_the_last_definition() -> None:
    text = "a = 1\nb = a\na = 2\nc = b"
    assert replace_definitions(text, {"a": "a = 9"}) == "b = a\n\na = 9\n\nc = b"
    assert replace_definitions(text, {"a": "a, b = 8, 9", "b": ""}) == "a, b = 8, 9\n\nc = b"
    assert replace_definitions(text, {}) == "a = 1\n\nb = a\n\na = 2\n\nc = b"


# How a statement's text is found.


@pytest.mark.parametrize(
    "text",
    [
        "import math; double = math.sqrt; half = abs",
        "x = '''\n'''; double = len",
        "if 1: double = len\nhalf = abs",
        "double = (\n    len\n)  # a comment",
        "s = '\x0c'\n\x0c\ndef double(x):\n    return x",
        "s = '\u2028'\na = 1\ndouble = 2\nhalf = 3",
        "x = 1\r\ndef double(x):\r\n    return x\r\n",
        "s = 'ä'; double = len",
        "def double(x):\n\treturn x",
    ],
    ids=[
        "semicolons",
        "after a long text",
        "one line",
        "brackets",
        "form feed",
        "line separator",
        "Windows",
        "not ASCII",
        "tabs",
    ],
)
def test_a_statement_has_its_own_text_and_no_other(text: str) -> None:
    module = ast.parse(text)
    for statement in module.body:
        assert ast.dump(ast.parse(source_of(statement, text))) == ast.dump(ast.Module([statement], []))


def test_a_file_is_taken_apart_by_statement() -> None:
    found = take_apart("import math\nCLAIMS = {}\n# note\ndouble = abs; half = len\nprint()", NAMES)
    assert found.definitions == {"CLAIMS": ["CLAIMS = {}"], "double": ["double = abs"], "half": ["half = len"]}
    assert found.rest == ["import math", "print()"]


# What is no Python.


@pytest.mark.parametrize(
    "text", ["def double(:", "x = 1\n  y", "\x00", "'", "(" * 300, "return = 1", "def f():\n\tx\n        y"], ids=repr
)
def test_a_file_that_is_no_python_is_a_reason_and_no_error(text: str) -> None:
    with pytest.raises(UnusableFile):
        take_apart(text, NAMES)
    found = as_submission(PLAN, "file", text)
    assert found.content is None
    assert "no Python" in found.reason


@pytest.mark.parametrize("count", [500, 1500, 4000, 100_000])
def test_a_file_nested_beyond_all_measure_is_a_reason_and_no_error(count: int) -> None:
    found = as_submission(PLAN, "file", f"x = {'-' * count}1\ndouble = {'+'.join(['1'] * count)}")
    assert found.content is not None or found.reason


def test_what_is_handed_in_is_scored_as_any_submission() -> None:
    checks = (Check("double", "double", 4, ("double",), "twice", values),)
    cells = [answer("double", 2), graded("double", 4)]
    plan = Plan(replace(PLAN.assignment, checks=checks), Blueprint(type(SOURCE)(SOURCE | {"cells": cells})))
    points = [
        score(as_submission(plan, "f", text), plan, LocalRunner(), 1).result.points for text in ("", "double = lambda x: x + x")
    ]
    assert points == [4, 4]
    result = score(as_submission(plan, "f", "def double(:"), plan, LocalRunner(), 1).result
    assert result.status == "ungraded"
    assert "no Python" in result.checks[0].message
