"""Build: every fault of a source or a declaration is told, names its cell, and stops everything before a byte is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from grader_tests.m5.retraining import RETRAINING
from grading.checks import Assignment
from grading.source_faults import ends_with_check
from tests.tiny_course import nbgrader_cell, source_notebook
from tests.workshop import POINTS, TINY, Workshop, find, made_check, make_workshop


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    return make_workshop(tmp_path, monkeypatch)


# What is wrong with a source, and the cell that is named.

Change = Callable[[NotebookNode], None]


def text(name: str, old: str, new: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        cell = find(notebook, name)
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def metadata(name: str, **fields: object) -> Change:
    return lambda notebook: find(notebook, name).metadata.nbgrader.update(fields)


def extra(source: str, markdown: bool = False) -> Change:
    make = new_markdown_cell if markdown else new_code_cell
    return lambda notebook: notebook.cells.append(make(source, id="extra"))


def remove(name: str) -> Change:
    return lambda notebook: notebook.cells.remove(find(notebook, name))


def output(name: str, count: int | None) -> Change:
    def change(notebook: NotebookNode) -> None:
        cell = find(notebook, name)
        cell.execution_count = count
        cell.outputs = [] if count else [nbformat.v4.new_output("stream", text="printed")]

    return change


def graded_words(notebook: NotebookNode) -> None:
    notebook.cells.append(nbgrader_cell(new_markdown_cell("words"), "words", grade=True, points=1))


def again(notebook: NotebookNode) -> None:
    notebook.cells.append(nbgrader_cell(new_code_cell("x = 1"), "double_answer", solution=True))
    notebook.cells[-1]["id"] = "again"


SOURCE_FAULTS: dict[str, tuple[Change, str, str]] = {
    "a check that is called by another name": (text("double", 'check("double")', 'check("triple")'), "double", "no hidden check"),
    "a check that is not the last": (text("double", 'check("double")', 'check("double")\n1'), "double", "no hidden check"),
    "a check that is assigned": (text("double", 'check("double")', 'x = check("double")'), "double", "no hidden check"),
    "no hidden region": (text("double", "### BEGIN HIDDEN TESTS\n", ""), "double", "no hidden check"),
    "a graded cell that is no Python": (text("double", "assert", "assert ("), "double", "no hidden check"),
    "a hidden region without end": (text("double", "### END HIDDEN TESTS", ""), "double", "HIDDEN TESTS region"),
    "a solution without end": (text("triple_answer", "### END SOLUTION", ""), "triple_answer", "SOLUTION region"),
    "a solution in a solution": (text("triple_answer", "def", "### BEGIN SOLUTION\ndef"), "triple_answer", "SOLUTION region"),
    "a solution in a given cell": (extra("### BEGIN SOLUTION\nx = 1\n### END SOLUTION"), "extra", "no answer cell"),
    "a hidden region in a given cell": (extra("### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS"), "extra", "no graded cell"),
    "an end without beginning": (extra("### END SOLUTION", markdown=True), "extra", "SOLUTION region"),
    "other points in the notebook": (
        metadata("triple", points=4),
        "triple",
        "4 in the notebook, 3 in its checks, 3 in the agreed points",
    ),
    "other manual points": (metadata("essay", points=3), "essay", "3.0 manual points in the notebook, 2 are agreed"),
    "an essay that is gone": (remove("essay"), "essay", "None manual points"),
    "a graded cell that is gone": (remove("double"), "double", "no such graded cell"),
    "a graded cell without checks": (metadata("double", grade_id="quadruple"), "quadruple", "no check in grader_tests/tiny.py"),
    "graded words": (graded_words, "words", "neither code nor an answer"),
    "an output": (output("double_answer", None), "double_answer", "has outputs"),
    "an execution count": (output("triple", 3), "triple", "has outputs"),
    "one grade id twice": (again, "double_answer", "stands in tiny too"),
    "a hidden line in a given cell": (extra("from grader_tests import check"), "extra", "would be released with 'grader_tests'"),
    "the checks named in prose": (extra("See `grader_tests`.", markdown=True), "extra", "would be released with 'grader_tests'"),
}


@pytest.mark.parametrize(("change", "cell", "told"), SOURCE_FAULTS.values(), ids=SOURCE_FAULTS.keys())
def test_a_fault_of_the_source_is_told_with_its_cell_and_nothing_is_written(
    shop: Workshop, change: Change, cell: str, told: str
) -> None:
    notebook = source_notebook()
    change(notebook)
    shop.put(TINY, notebook)
    faults = shop.faults()
    assert any(told in fault and cell in fault and fault.startswith("tiny: ") for fault in faults), faults
    assert shop.executed == []


DECLARATION_FAULTS: dict[str, tuple[Assignment, str]] = {
    "checks worth more": (
        replace(TINY, checks=(made_check("double", 2.5), TINY.checks[1])),
        "'double' do not add up: 2 in the notebook, 2.5 in",
    ),
    "more agreed": (
        replace(TINY, points={"double": 1, "triple": 3}),
        "2 in the notebook, 2 in its checks, 1 in the agreed points",
    ),
    "a cell not agreed": (
        replace(TINY, points={"double": 2}),
        "'triple' do not add up: 3 in the notebook, 3 in its checks, 0 in",
    ),
    "a check without a cell": (
        replace(TINY, checks=(*TINY.checks, made_check("gone", 1))),
        "the check gone_check has no cell 'gone'",
    ),
    "a cell without a check": (replace(TINY, checks=TINY.checks[:1]), "graded cell 'triple' has no check"),
    "points without a cell": (replace(TINY, points=POINTS | {"gone": 1}), "points are agreed for 'gone'"),
    "manual points not agreed": (
        replace(TINY, manual_points={}),
        "'essay' has 2.0 manual points in the notebook, None are agreed",
    ),
    "manual points without a cell": (replace(TINY, manual_points={"essay": 2, "proof": 1}), "'proof' has None manual points"),
    "a training without a cell": (replace(TINY, retraining=replace(RETRAINING, cell="gone")), "at the cell 'gone', which"),
    "a file that is not listed": (replace(TINY, given=()), "data.csv is not listed"),
}


@pytest.mark.parametrize(("assignment", "told"), DECLARATION_FAULTS.values(), ids=DECLARATION_FAULTS.keys())
def test_a_fault_of_the_declaration_is_told_and_nothing_is_written(shop: Workshop, assignment: Assignment, told: str) -> None:
    shop.assignments["tiny"] = assignment
    assert any(told in fault for fault in shop.faults()), shop.faults()


@pytest.mark.parametrize("name", ["notes.md", "deep/key.txt", ".hidden", "tiny.py", "link"])
def test_a_file_that_is_not_listed_would_reach_students(shop: Workshop, name: str) -> None:
    path = shop.course.source / "tiny" / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to("nowhere") if name == "link" else path.write_text("")
    assert [f"tiny: source/tiny/{name} is not listed among the given files; students would get it"] == shop.faults()


def test_a_listed_file_that_is_missing_is_a_fault(shop: Workshop) -> None:
    (shop.course.source / "tiny" / "data.csv").unlink()
    assert shop.faults() == ["tiny: source/tiny/data.csv is listed and missing"]


@pytest.mark.parametrize("word", ["BEGIN SOLUTION", "END HIDDEN TESTS", "grader_tests"])
def test_a_given_file_with_a_forbidden_word_is_named(shop: Workshop, word: str) -> None:
    (shop.course.source / "tiny" / "data.csv").write_bytes(b"\xff" + word.encode())
    assert shop.faults() == [f"tiny: the file data.csv would be released with {word!r} in it"]


def test_a_notebook_without_checks_is_a_fault_beside_the_others(shop: Workshop) -> None:
    shop.put(replace(TINY, name="other"), source_notebook())
    del shop.assignments["other"]
    notebook = source_notebook()
    output("double", 1)(notebook)
    shop.put(TINY, notebook)
    assert len(shop.faults()) == 2


def test_a_grade_id_that_two_assignments_share_is_a_fault(shop: Workshop) -> None:
    shop.put(replace(TINY, name="other"), source_notebook())
    faults = shop.faults()
    assert "tiny: the grade id 'double' stands in other too; grade ids are unique in the course" in faults
    assert len(faults) == 5


@pytest.mark.parametrize(
    ("source", "ends"),
    [
        ('### BEGIN HIDDEN TESTS\ncheck("a")\n### END HIDDEN TESTS', True),
        ('### BEGIN HIDDEN TESTS\ncheck("a")', False),
        ('check("a")\n### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS', False),
        ('### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS\ncheck("a")', False),
        ('### BEGIN HIDDEN TESTS\nif True:\n    check("a")\n### END HIDDEN TESTS', False),
        ('### BEGIN HIDDEN TESTS\n# check("a")\n### END HIDDEN TESTS', False),
        ("### BEGIN HIDDEN TESTS\ncheck('b')\n### END HIDDEN TESTS", False),
        ("", False),
    ],
)
def test_a_graded_cell_ends_with_its_own_check_inside_its_hidden_part(source: str, ends: bool) -> None:
    assert ends_with_check(source, "a") is ends
