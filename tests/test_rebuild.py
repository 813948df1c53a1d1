"""Rebuild: the instructor's notebook with the student's answers in it, whatever else the student's file says."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from grading.blueprint import Blueprint, normal
from grading.notebooks import grade_id, open_notebook, write
from grading.rebuild import Rebuilt, rebuild
from tests.tiny_course import RIGHT, handed_in, nbgrader_cell, source_notebook

SOURCE = source_notebook()
SOURCE.cells.insert(1, new_code_cell("import math", id="imports"))
BLUEPRINT = Blueprint(SOURCE)


def submitted(**answers: str) -> NotebookNode:
    """What a student handed in: title, imports, double_answer, double, triple_answer, triple, essay."""
    notebook = handed_in(**(RIGHT | answers))
    notebook.cells.insert(1, new_code_cell("import math", id="imports"))
    return notebook


def rebuilt(notebook: NotebookNode) -> Rebuilt:
    return rebuild(open_notebook(json.dumps(notebook).encode()).notebook, BLUEPRINT)


def texts(found: Rebuilt) -> list[str]:
    return [c.cell.source for c in found.cells]


def kinds(found: Rebuilt) -> list[str]:
    return [finding.kind for finding in found.findings]


def own(found: Rebuilt) -> list[str]:
    return [c.cell.source for c in found.cells if c.origin is None]


def after(found: Rebuilt, text: str) -> str:
    """The title of the cell that runs right before the one with this text."""
    position = texts(found).index(text)
    return found.cells[position - 1].title if position else "nothing"


def find(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if name in (grade_id(cell), cell.id))


def test_an_honest_notebook_is_the_source_with_the_answers_in_it() -> None:
    found = rebuilt(submitted(essay="My essay."))
    assert found.findings == ()
    assert own(found) == []
    assert found.answers == {**RIGHT, "essay": "My essay."}
    source = [c.source for c in SOURCE.cells]
    answered = {2: RIGHT["double_answer"], 4: RIGHT["triple_answer"], 6: "My essay."}
    assert texts(found) == [answered.get(i, text) for i, text in enumerate(source)]
    assert [c.origin for c in found.cells] == list(range(7))


def test_the_released_notebook_answers_with_stubs() -> None:
    found = rebuild(BLUEPRINT.released, BLUEPRINT)
    assert found.findings == ()
    assert "NotImplementedError" in found.answers["double_answer"]


def test_the_source_itself_is_an_answer_and_is_left_as_it_is() -> None:
    before = write(SOURCE)
    assert rebuilt(SOURCE).findings == ()
    assert write(SOURCE) == before


# What a student may do to a file, and the finding it makes. None of it changes what is run.


def change_metadata(**fields: Any) -> Callable[[NotebookNode], None]:
    return lambda notebook: find(notebook, "double").metadata.nbgrader.update(fields)


def retype(notebook: NotebookNode) -> None:
    cell = find(notebook, "double_answer")
    cell.cell_type = "markdown"
    del cell["outputs"], cell["execution_count"]


def rewrite_given(notebook: NotebookNode) -> None:
    find(notebook, "double").source = "assert True"


def copy_given(notebook: NotebookNode) -> None:
    notebook.cells.insert(4, copy.deepcopy(find(notebook, "double")) | {"id": "again"})


def delete_given(notebook: NotebookNode) -> None:
    notebook.cells.remove(find(notebook, "double"))


def reverse(notebook: NotebookNode) -> None:
    notebook.cells.reverse()


def tag(notebook: NotebookNode) -> None:
    find(notebook, "double_answer").metadata["tags"] = ["skip-execution"]


def windows(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", "\r\n")


def old_mac(notebook: NotebookNode) -> None:
    find(notebook, "double_answer").source = RIGHT["double_answer"].replace("\n", "\r")


ODDITIES: dict[str, tuple[Callable[[NotebookNode], None], list[str]]] = {
    "points": (change_metadata(points=100), ["changed-points"]),
    "schema": (change_metadata(schema_version=99), ["changed-metadata"]),
    "locked": (change_metadata(locked=False), ["changed-metadata"]),
    "graded as an answer": (change_metadata(solution=True), ["changed-metadata"]),
    "type": (retype, ["retyped"]),
    "text of a given cell": (rewrite_given, ["changed-given-cell"]),
    "copy of a given cell": (copy_given, ["duplicated"]),
    "given cell gone": (delete_given, ["missing-cell"]),
    "order": (reverse, ["reordered"]),
    "tags": (tag, ["tags"]),
    "Windows line ends": (windows, ["line-ends"]),
    "old Mac line ends": (old_mac, ["line-ends"]),
}


@pytest.mark.parametrize(("change", "found"), ODDITIES.values(), ids=ODDITIES.keys())
def test_an_oddity_is_found_and_what_is_run_stays_the_same(change: Callable[[NotebookNode], None], found: list[str]) -> None:
    notebook = submitted()
    change(notebook)
    result = rebuilt(notebook)
    assert kinds(result) == found
    assert texts(result) == texts(rebuilt(submitted()))
    assert write(result.notebook(SOURCE)) == write(rebuilt(submitted()).notebook(SOURCE))


def test_blanks_at_the_ends_of_lines_change_no_given_cell() -> None:
    notebook = submitted()
    find(notebook, "double").source += "  \n\n"
    find(notebook, "title").source = "# Tiny \n"
    assert rebuilt(notebook).findings == ()
    assert normal("\n a  \r\nb\t\n\n") == " a\nb"


def test_an_answer_cell_that_is_gone_stays_empty_so_that_a_definition_elsewhere_counts() -> None:
    notebook = submitted()
    notebook.cells.remove(find(notebook, "double_answer"))
    notebook.cells.insert(2, new_code_cell("def double(x):\n    return x * 2"))
    found = rebuilt(notebook)
    assert kinds(found) == ["missing-cell"]
    assert found.answers["double_answer"] == ""
    assert own(found) == ["def double(x):\n    return x * 2"]
    assert texts(found).index(own(found)[0]) < [c.title for c in found.cells].index("the cell `double`")


def test_copies_of_an_answer_run_after_it_in_order_and_all_are_its_text() -> None:
    notebook = submitted()
    for text in ("second = 2", "third = 3"):
        cell = copy.deepcopy(find(notebook, "double_answer")) | {"id": text[:5], "source": text}
        notebook.cells.append(NotebookNode(cell))
    found = rebuilt(notebook)
    assert "duplicated" in kinds(found)
    assert own(found) == ["second = 2", "third = 3"]
    assert after(found, "second = 2") == "the cell `double_answer`"
    assert found.answers["double_answer"].endswith("\nsecond = 2\nthird = 3")


def test_a_cell_with_an_unknown_grade_id_is_the_students_own() -> None:
    notebook = submitted()
    find(notebook, "triple_answer").metadata.nbgrader["grade_id"] = "mine"
    found = rebuilt(notebook)
    assert set(kinds(found)) == {"renamed", "missing-cell"}
    assert own(found) == [RIGHT["triple_answer"]]
    assert after(found, RIGHT["triple_answer"]) == "the cell `triple_answer`", "it keeps the place that its cell id says"


@pytest.mark.parametrize(
    ("position", "before"),
    [
        (0, "nothing"),
        (1, "the given cell `# Tiny`"),
        (2, "the given cell `import math`"),
        (3, "the cell `double_answer`"),
        (7, "the cell `essay`"),
    ],
)
def test_a_cell_of_the_students_own_runs_after_the_source_cell_that_precedes_it(position: int, before: str) -> None:
    notebook = submitted()
    notebook.cells.insert(position, new_code_cell("helper = 1"))
    found = rebuilt(notebook)
    assert found.findings == ()
    assert after(found, "helper = 1") == before
    assert found.cells[texts(found).index("helper = 1")].title == "your cell `helper = 1`"


def test_several_cells_of_ones_own_keep_their_order_and_have_ids_of_their_own() -> None:
    notebook = submitted()
    for text in ("c = 3", "b = 2", "a = 1"):
        notebook.cells.insert(3, new_code_cell(text, id="same"))
    found = rebuilt(notebook)
    assert own(found) == ["a = 1", "b = 2", "c = 3"]
    ids = [c.cell.id for c in found.cells]
    assert len(set(ids)) == len(ids)


def test_a_given_cell_that_was_added_to_runs_after_the_given_one() -> None:
    notebook = submitted()
    find(notebook, "imports").source = "import math\nimport random"
    found = rebuilt(notebook)
    assert own(found) == ["import math\nimport random"]
    assert after(found, own(found)[0]) == "the given cell `import math`"


def test_a_given_cell_pasted_again_is_no_cell_of_ones_own() -> None:
    notebook = submitted()
    notebook.cells += [
        new_code_cell("import math"),
        new_code_cell(SOURCE.cells[3].source),
        new_code_cell("assert callable(double)"),
    ]
    assert own(rebuilt(notebook)) == []


def test_a_solved_answer_pasted_into_a_cell_of_ones_own_is_run() -> None:
    notebook = submitted()
    notebook.cells.append(new_code_cell(find(SOURCE, "triple_answer").source))
    assert own(rebuilt(notebook)) == [find(SOURCE, "triple_answer").source]


def test_own_cells_bring_text_and_nothing_else_and_empty_and_raw_ones_are_dropped() -> None:
    cell = new_code_cell("x = 1", metadata={"tags": ["raises-exception"], "nbgrader": {"points": 5}})
    notebook = submitted()
    notebook.cells += [cell, new_code_cell("  \n"), new_raw_cell("raw"), new_markdown_cell("words")]
    found = rebuilt(notebook)
    assert own(found) == ["x = 1", "words"]
    assert all(c.cell.metadata == {} for c in found.cells if c.origin is None)


def with_attachments(attachments: dict[str, Any]) -> dict[str, Any]:
    notebook = submitted()
    find(notebook, "essay")["attachments"] = attachments
    cell = next(c.cell for c in rebuilt(notebook).cells if c.title == "the cell `essay`")
    return dict(cell.attachments)


def test_photographs_of_a_written_answer_are_kept() -> None:
    pictures = {"proof (1).jpg": {"image/jpeg": "abcd"}, "b.png": {"image/png": "efgh"}}
    assert with_attachments(pictures) == pictures


@pytest.mark.parametrize(
    "attachments",
    [
        {"a.svg": {"image/svg+xml": "<svg onload='x'/>"}},
        {"a.html": {"text/html": "<script>"}},
        {"../a.png": {"image/png": "abcd"}},
        {'"onerror="x': {"image/png": "abcd"}},
        {"a.png": {"image/png": 3}},
        {"a.png": "abcd"},
        {"a.png": {"image/png": "x" * 8_000_001}},
    ],
    ids=["svg", "html", "path", "markup", "number", "text", "too large"],
)
def test_other_attachments_are_dropped(attachments: dict[str, Any]) -> None:
    assert with_attachments(attachments) == {}


def test_pictures_are_bounded_together() -> None:
    kept = with_attachments({f"{i}.png": {"image/png": "x" * 3_000_000} for i in range(4)})
    assert list(kept) == ["0.png", "1.png"]


def test_an_empty_submission_is_all_missing_and_still_a_notebook() -> None:
    found = rebuild(open_notebook(b'{"nbformat": 4, "cells": []}').notebook, BLUEPRINT)
    assert kinds(found) == ["missing-cell"] * 5
    assert set(found.answers.values()) == {""}
    assert len(found.cells) == len(SOURCE.cells)


def test_a_source_knows_its_answers_and_its_graded_cells() -> None:
    assert BLUEPRINT.answers == ("double_answer", "triple_answer", "essay")
    extra = nbgrader_cell(new_code_cell("x"), "given", locked=True)
    assert Blueprint(NotebookNode(SOURCE | {"cells": [*SOURCE.cells, extra]})).graded == ("double", "triple")
