"""Attacks on a notebook's JSON: each function changes a notebook of its base in place, and its docstring is its claim."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from grading.notebooks import grade_id, is_answer, is_machine_graded
from tests.tamper.notebooks import cell_of

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def skip_execution(notebook: NotebookNode) -> None:
    """Tag every cell so that nothing is run and no error counts.

    base: release
    earns: nothing
    finds: tags, cell-error
    report: tags have no effect on grading
    """
    for cell in notebook.cells:
        cell.metadata["tags"] = ["skip-execution", "raises-exception", "nbgrader-skip", "remove-cell"]


def worth_a_thousand(notebook: NotebookNode) -> None:
    """Make each graded cell worth a thousand points.

    earns: nothing
    finds: changed-points
    report: the assignment's own points count
    """
    _label(notebook, points=1000)


def worth_nothing_or_nan(notebook: NotebookNode) -> None:
    """Make cells worth NaN, a text and less than nothing.

    base: solved
    earns: all
    finds: changed-points
    report: the assignment's own points count
    """
    odd: list[Any] = [float("nan"), "a lot", -20, [], None, True, {}, 1e308]
    for cell, points in zip(filter(is_machine_graded, notebook.cells), odd, strict=False):
        cell.metadata.nbgrader["points"] = points


def graded_no_more(notebook: NotebookNode) -> None:
    """Say that no cell is graded, and that each is an answer.

    earns: nothing
    finds: changed-metadata
    report: metadata were changed
    """
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.update(grade=False, solution=True, locked=False, task=True)


def schema_1(notebook: NotebookNode) -> None:
    """Set schema_version to 1, which stopped the whole class's run.

    earns: nothing
    finds: changed-metadata
    report: metadata were changed
    """
    _label(notebook, schema_version=1)


def schema_4(notebook: NotebookNode) -> None:
    """Set schema_version to 4, one more than there is.

    earns: nothing
    finds: changed-metadata
    report: metadata were changed
    """
    _label(notebook, schema_version=4)


def schema_99(notebook: NotebookNode) -> None:
    """Set schema_version to 99, and to what is no number.

    base: solved
    earns: all
    finds: changed-metadata
    report: metadata were changed
    """
    _label(notebook, schema_version=99)
    notebook.cells[0].metadata["nbgrader"] = {"schema_version": [3]}


def graded_cells_as_markdown(notebook: NotebookNode) -> None:
    """Turn the graded cells into Markdown, so that they do not run.

    earns: nothing
    finds: retyped
    report: it was run as code
    """
    for position, cell in enumerate(notebook.cells):
        if is_machine_graded(cell):
            notebook.cells[position] = new_markdown_cell(cell.source, id=cell.id, metadata=cell.metadata)


def graded_ids_renamed(notebook: NotebookNode) -> None:
    """Rename the graded cells, so that their checks are not found.

    earns: nothing
    finds: renamed, missing-cell
    report: carries the unknown grade id
    """
    for cell in filter(is_machine_graded, notebook.cells):
        cell.metadata.nbgrader["grade_id"] = "../" + cell.metadata.nbgrader.grade_id + SCRIPT


def easy_for_hard(notebook: NotebookNode) -> None:
    """Give the cell that is worth most the grade id of the one that is worth least, and write the easy answer twice.

    base: solved
    earns: all but attention 0, self_attention 0, cross_attention 0
    finds: renamed, missing-cell, cell-error
    report: does not define `attention`
    """
    answer = cell_of(notebook, "attention_answer")
    answer.source = "CLAIMS = dict.fromkeys('ABCDEFGH', True)"
    answer.metadata.nbgrader["grade_id"] = "no_such_answer"


def graded_cells_emptied(notebook: NotebookNode) -> None:
    """Empty the graded cells, or let them say four points.

    earns: nothing
    finds: changed-given-cell
    report: the original was run instead
    """
    for cell in filter(is_machine_graded, notebook.cells):
        cell.source = "4.0"


def graded_cells_deleted(notebook: NotebookNode) -> None:
    """Delete the graded cells.

    earns: nothing
    finds: missing-cell
    report: the original was run
    """
    notebook.cells = [cell for cell in notebook.cells if not is_machine_graded(cell)]


def graded_cells_doubled(notebook: NotebookNode) -> None:
    """Hand in each graded cell twice, the copy saying four points, with the same grade id.

    earns: nothing
    finds: duplicated
    report: more than once
    """
    for cell in [cell for cell in notebook.cells if is_machine_graded(cell)]:
        doubled = NotebookNode({**copy.deepcopy(cell), "id": cell.id + "-2", "source": "4.0"})
        notebook.cells.insert(notebook.cells.index(cell) + 1, doubled)


def answer_doubled_honestly(notebook: NotebookNode) -> None:
    """Copy and paste an answer, as honest students do, and with it the grade id and the cell id.

    base: solved
    earns: all
    finds: duplicated
    report: all copies were run, in order
    """
    answer = cell_of(notebook, "hard_lookup_answer")
    notebook.cells.insert(notebook.cells.index(answer), copy.deepcopy(answer))


def hidden_line_of_ones_own(notebook: NotebookNode) -> None:
    """Write hidden regions and solution markers into answers and own cells.

    earns: nothing
    finds: cell-error
    report: ModuleNotFoundError
    """
    hidden = "\n### BEGIN HIDDEN TESTS\nfrom grader_tests import check\ncheck('m1_claims')\n4.0\n### END HIDDEN TESTS"
    for cell in filter(is_answer, notebook.cells):
        cell.source += "\n### BEGIN SOLUTION" + hidden


def kernel_of_ones_own(notebook: NotebookNode) -> None:
    """Name another kernel, another language, and metadata of a notebook that make converters run something.

    base: solved
    earns: all
    """
    notebook.metadata = NotebookNode(
        {
            "kernelspec": {"name": "bash", "language": "bash", "display_name": SCRIPT},
            "language_info": {"name": "bash", "pygments_lexer": "../../etc/passwd", "file_extension": "/../x"},
            "title": SCRIPT,
            "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {"a": SCRIPT}}},
            "nbgrader": {"points": 20, "score": 20},
            "celltoolbar": "Create Assignment",
        }
    )


def outputs_forged(notebook: NotebookNode) -> None:
    """Hand in outputs: full points under each graded cell, scripts under the rest.

    base: release
    earns: nothing
    finds: cell-error
    report: still to be written
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            points = new_output("execute_result", {"text/plain": "20.0", "text/html": SCRIPT}, execution_count=1)
            cell.outputs = [points, new_output("display_data", {"text/html": SCRIPT, "application/javascript": "alert(1)"})]


def scores_in_metadata(notebook: NotebookNode) -> None:
    """Write scores, comments, checksums and verdicts into the metadata, where feedback reads some of them.

    base: release
    earns: nothing
    finds: cell-error
    report: still to be written
    """
    written: Mapping[str, Any] = {
        "score": 20.0,
        "max_score": 20,
        "auto_score": 20,
        "comment": SCRIPT,
        "checksum": "0",
        "remove": True,
    }
    _label(notebook, **written)


def script_in_markdown(notebook: NotebookNode) -> None:
    """Write scripts into Markdown: raw, in links, in attachments, in formulas, in a table, in a heading's anchor.

    base: solved
    earns: all
    """
    text = (
        f"# {SCRIPT}\n\n{SCRIPT}\n\n[link](javascript:alert(1)) <a href='data:text/html;base64,PHNjcmlwdD4='>x</a> "
        "<a href=' java\nscript:alert(1)'>y</a> ![i](attachment:x.svg) ![j](attachment:y.png)\n\n"
        "<iframe src='file:///etc/passwd'></iframe><svg onload=alert(1)></svg><style>body{display:none}</style>"
        "<form action='https://example.org'><input name=a></form><math><mi xlink:href='javascript:alert(1)'>z</mi></math>\n\n"
        "$\\href{javascript:alert(1)}{x}$ $$\\require{html}\\style{position:fixed}{x}$$\n\n"
        "| a |\n|---|\n| <script>alert(1)</script> |\n"
        "<details open ontoggle=alert(1)><base href='//example.org'><meta http-equiv=refresh content='0;url=//example.org'>"
    )
    cell = new_markdown_cell(text, id="own-markdown")
    cell["attachments"] = {"x.svg": {"image/svg+xml": SCRIPT}, "y.png": {"image/png": '"><script>alert(1)</script>'}}
    notebook.cells.append(cell)


def raw_cells(notebook: NotebookNode) -> None:
    """Bring raw cells, which converters copy into a page as they are.

    base: solved
    earns: all
    """
    raw = {
        "cell_type": "raw",
        "id": "own-raw",
        "metadata": {"format": "text/html", "raw_mimetype": "text/html"},
        "source": SCRIPT,
    }
    notebook.cells += [NotebookNode(raw), NotebookNode({**raw, "id": "own-raw-2", "attachments": {"a": {"text/html": SCRIPT}}})]


def odd_ids(notebook: NotebookNode) -> None:
    """Give cells ids and titles that are scripts and paths.

    base: solved
    earns: all
    """
    for number, cell in enumerate(notebook.cells):
        if grade_id(cell):
            cell["id"] = f"../../{number}{SCRIPT}"
            cell.metadata["name"] = cell.metadata["title"] = SCRIPT


def _label(notebook: NotebookNode, **changes: Any) -> None:
    """Change nbgrader's metadata of every cell that has some."""
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.update(changes)
