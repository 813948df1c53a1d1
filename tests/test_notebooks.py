"""Any notebook there is can be opened, or is refused in words a student understands; nothing else is raised."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from grading.blueprint import Blueprint
from grading.notebooks import (
    UnreadableNotebook,
    grade_id,
    is_answer,
    is_graded,
    is_machine_graded,
    open_notebook,
    released,
    visible_text,
    write,
)
from grading.rebuild import rebuild
from tests.tiny_course import answer, graded, handed_in, nbgrader_cell, source_notebook

CODE = {"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": [], "execution_count": None}


def opened(cells: Any = (), **more: Any) -> Any:
    return open_notebook(json.dumps({"nbformat": 4, "cells": list(cells), **more}).encode())


def kinds(found: Any) -> list[str]:
    return [finding.kind for finding in found.findings]


REFUSED = {
    "nothing": b"",
    "blanks": b" \n\t ",
    "words": b"this is no notebook",
    "a script": b"import torch\nprint(1)\n",
    "half a notebook": json.dumps({"nbformat": 4, "cells": [CODE]}).encode()[:-9],
    "a list": b"[]",
    "a number": b"4",
    "an object of another kind": b'{"a": 1}',
    "a format without cells": b'{"nbformat": 4}',
    "cells without a format": b'{"cells": []}',
    "a format that is a text": b'{"nbformat": "4", "cells": []}',
    "a format that is a truth value": b'{"nbformat": true, "cells": []}',
    "an archive": b"PK\x03\x04" + bytes(range(128, 256)),
    "another encoding": '{"nbformat": 4, "cells": ["\xe9"]}'.encode("latin-1"),
    "lists without end": b'{"nbformat": 4, "cells": ' + b"[" * 100_000,
    "a number without end": b'{"nbformat": ' + b"4" * 5000 + b"}",
    "metadata without end": b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "metadata": '
    + b'{"a": ' * 700
    + b"{}"
    + b"}" * 700
    + b"}]}",
    "a broken utf-16": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_notebook_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(UnreadableNotebook) as caught:
        open_notebook(content)
    assert str(caught.value).endswith((".", "?"))


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
json_values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
words = {"cell_type": ["code", "markdown", "raw", "heading"], "source": ["x = 1", "# a", ["a\n", "b"]], "id": ["double", "title"]}
odd_cells = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.sampled_from(values) | json_values for key, values in words.items()},
        "metadata": json_values | st.fixed_dictionaries({"nbgrader": json_values, "tags": json_values}),
        "attachments": json_values | st.dictionaries(st.text(max_size=3), json_values, max_size=2),
        "outputs": json_values,
    },
)
grade_cells = st.sampled_from(["double_answer", "double", "essay", "gone"]).flatmap(
    lambda name: odd_cells.map(lambda cell: cell | {"metadata": {"nbgrader": {"grade_id": name}}})
)
documents = st.fixed_dictionaries(
    {"nbformat": st.sampled_from([4, 3, 2, 99]) | json_values},
    optional={"cells": st.lists(odd_cells | grade_cells | json_values, max_size=5) | json_values, "worksheets": json_values},
)


@settings(max_examples=150, deadline=None, database=None, derandomize=True)
@given(documents)
def test_any_json_is_refused_or_rebuilt_and_written(document: Any) -> None:
    blueprint = Blueprint(source_notebook())
    try:
        notebook = open_notebook(json.dumps(document).encode("utf-8", "surrogatepass")).notebook
    except UnreadableNotebook:
        return
    rebuilt = rebuild(notebook, blueprint)
    assert [grade_id(c.cell) for c in rebuilt.cells if c.origin is not None] == [grade_id(c) for c in blueprint.notebook.cells]
    text = write(rebuilt.notebook(blueprint.notebook))
    assert json.loads(text)["nbformat"] == 4
    text.encode("utf-8")  # it can be written to a file


@settings(max_examples=100, deadline=None, database=None, derandomize=True)
@given(st.binary(max_size=60))
def test_any_bytes_are_opened_or_refused(content: bytes) -> None:
    with contextlib.suppress(UnreadableNotebook):
        assert open_notebook(content).notebook.nbformat == 4


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_a_byte_order_mark_is_read_and_found(encoding: str) -> None:
    text = json.dumps({"nbformat": 4, "cells": [CODE | {"source": "ä"}]}, ensure_ascii=False)
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    found = open_notebook(mark + text.encode(encoding))
    assert found.notebook.cells[0].source == "ä"
    assert kinds(found) == ["byte-order-mark"]


@pytest.mark.parametrize("version", [2, 3])
def test_old_formats_are_read_as_format_4(version: int) -> None:
    cells = [{"cell_type": "code", "input": ["x\n", "y"]}, {"cell_type": "heading", "source": "Part"}]
    document = {"nbformat": version, "worksheets": [{"cells": cells}, {"cells": [CODE]}, "odd"]}
    found = open_notebook(json.dumps(document).encode())
    assert [c.source for c in found.notebook.cells] == ["x\ny", "Part", "x = 1"]
    assert [c.cell_type for c in found.notebook.cells] == ["code", "markdown", "code"]
    assert kinds(found) == ["old-format"]


def test_cells_that_are_none_are_left_out_and_counted() -> None:
    found = opened([CODE, None, 3, {"cell_type": "code", "source": 5}, {"cell_type": "video", "source": ""}])
    assert len(found.notebook.cells) == 1
    assert "4 cells" in found.findings[0].message


@pytest.mark.parametrize("odd", [None, [], "x", 3], ids=repr)
def test_metadata_and_ids_of_another_kind_are_none(odd: Any) -> None:
    cell = opened([CODE | {"metadata": odd, "id": [odd]}]).notebook.cells[0]
    assert (cell.metadata, cell.id) == ({}, "")
    assert grade_id(opened([CODE | {"metadata": {"nbgrader": odd}}]).notebook.cells[0]) is None


def test_outputs_of_a_submission_are_not_read() -> None:
    cell = opened([CODE | {"outputs": [{"output_type": "execute_result"}], "execution_count": 7}]).notebook.cells[0]
    assert (cell.outputs, cell.execution_count) == ([], None)


def test_a_lone_surrogate_becomes_a_sign_that_can_be_written() -> None:
    assert opened([CODE | {"source": "x = '\ud800'"}]).notebook.cells[0].source == "x = '?'"


def made(**fields: Any) -> NotebookNode:
    kind = new_markdown_cell("") if fields.pop("markdown", False) else new_code_cell("")
    return nbgrader_cell(kind, "name", **fields)


def test_what_a_cell_is_for() -> None:
    assert is_answer(made(solution=True))
    assert not is_answer(new_code_cell(""))
    assert is_graded(made(grade=True, solution=True))
    assert is_machine_graded(made(grade=True))
    assert not is_machine_graded(made(grade=True, solution=True))
    assert not is_machine_graded(made(grade=True, markdown=True))
    assert not is_machine_graded(made(grade=1))


def test_the_released_notebook_holds_stubs_and_no_hidden_line() -> None:
    notebook = released(source_notebook())
    text = write(notebook)
    assert "raise NotImplementedError()" in text
    assert not any(word in text for word in ("SOLUTION", "HIDDEN", "grader_tests", "return 2 * x"))
    assert "return 2 * x" in write(source_notebook()), "the source is left as it is"


def test_the_visible_text_ends_where_the_hidden_part_begins() -> None:
    assert visible_text(graded("double", 2).source) == "assert callable(double)"
    assert visible_text("a\n### BEGIN HIDDEN TESTS\nb\n### END HIDDEN TESTS\nc") == "a\nc"
    assert visible_text("a\n### BEGIN HIDDEN TESTS\nb") == "a"
    assert visible_text(answer("double", 2).source) == answer("double", 2).source


def test_the_same_notebook_has_the_same_text() -> None:
    again = open_notebook(write(handed_in()).encode()).notebook
    again.metadata = handed_in().metadata
    assert write(again) == write(handed_in())
    assert write(again).endswith("}\n")


@pytest.mark.parametrize("cells", ["NaN", "{}", "null", "3", '"cells"'])
def test_cells_that_are_no_list_make_no_notebook(cells: str) -> None:
    with pytest.raises(UnreadableNotebook):
        open_notebook(f'{{"cells": {cells}, "nbformat": 4}}'.encode())
