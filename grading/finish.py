"""The finished notebook: the rebuilt cells with their outputs, and verdicts where hidden checks decided.

The one execute_result of a graded cell is its points, which nbgrader takes as they are.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from grading.blueprint import Blueprint
from grading.notebooks import grade_id, is_machine_graded, visible_text
from grading.rebuild import Rebuilt
from grading.sandbox.session import CellRun
from grading.verdict import CheckResult, Result, Verdict

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,16}")


def finish(rebuilt: Rebuilt, blueprint: Blueprint, runs: Mapping[str, CellRun], result: Result) -> NotebookNode:
    """The notebook that goes into autograded/."""
    notebook = rebuilt.notebook(blueprint.notebook)
    for position, cell in enumerate(notebook.cells):
        if marks := blueprint.marks.get(grade_id(cell) or ""):
            cell.metadata.nbgrader.update(marks)
        if cell.cell_type != "code":
            continue
        run = runs.get(cell_name(position))
        if is_machine_graded(cell):
            cell.source = visible_text(cell.source)
            cell.outputs = nbformat.from_dict(verdict_outputs(result, grade_id(cell) or "", run))
        elif run is not None:
            cell.outputs = nbformat.from_dict(run_outputs(run))
    return notebook


def cell_name(position: int) -> str:
    """The name that the cell at a position of the rebuilt notebook is compiled under."""
    return f"<cell {position}>"


def run_outputs(run: CellRun) -> list[dict[str, Any]]:
    """A run's outputs in nbformat's form; addresses are masked, so that equal answers give equal notebooks."""
    outputs = [_output(item) for item in run.outputs]
    if run.dropped_bytes:
        outputs.append(_stream("stderr", f"[{run.dropped_bytes} more bytes of output were dropped]\n"))
    if run.error is not None:
        lines = [mask(str(line)) for line in run.error.get("traceback", [])][:60]
        outputs.append(_error(run.error["name"], mask(str(run.error.get("message", ""))), lines))
    elif run.status != "ok":
        outputs.append(_stream("stderr", f"[The cell did not end by itself: {run.detail}]\n"))
    return outputs


def _output(item: Mapping[str, Any]) -> dict[str, Any]:
    if "stream" in item:
        return _stream(item["stream"], mask(bytes(item["data"]).decode("utf-8", "replace")))
    # Plain text alone: any markup of a student's, LaTeX and Markdown too, can carry a script to the reader's browser.
    return _display({"text/plain": mask(item["data"].get("text/plain", ""))})


def _stream(name: str, text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def _error(name: str, value: str, lines: list[str]) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": lines}


def _display(data: dict[str, str]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _points(points: float) -> dict[str, Any]:
    return {"output_type": "execute_result", "data": {"text/plain": repr(points)}, "metadata": {}, "execution_count": 1}


def mask(text: str) -> str:
    """Text without addresses of objects, which differ from run to run."""
    return _ADDRESS.sub("0x…", text)


def verdict_outputs(result: Result, cell: str, run: CellRun | None) -> list[dict[str, Any]]:
    """What a graded cell shows: the visible part's error if it raised, each check's message, and the points."""
    checks = [c for c in result.checks if c.cell == cell]
    points = result.cell_points(cell)
    shown = _display({"text/plain": plain_verdicts(checks, run), "text/html": html_verdicts(checks, run)})
    if points is None:
        waiting = "not graded yet: a person will look at this cell"
        # Stock nbgrader would read a missing result as full marks; an error output is never that.
        return [shown, _error("Ungraded", waiting, [waiting])]
    return [shown, _points(points)]


def _visible_failure(run: CellRun | None) -> str:
    if run is None or run.status == "ok":
        return ""
    if run.error is None:
        return f"The visible part of this cell did not end by itself: {run.detail}."
    return mask(f"The visible part of this cell stopped with {run.error['name']}: {str(run.error.get('message', ''))[:500]}")


def plain_verdicts(checks: Sequence[CheckResult], run: CellRun | None) -> str:
    """The messages of a cell's checks, a line each."""
    lines = [f"{_mark(c)} {c.message}" for c in checks]
    return "\n".join([*lines, *filter(None, [_visible_failure(run)])])


def html_verdicts(checks: Sequence[CheckResult], run: CellRun | None) -> str:
    """The same as a list in HTML, with every text escaped."""
    rows = [f"<li><b>{_mark(c)}</b> {html.escape(c.message)}</li>" for c in checks]
    note = _visible_failure(run)
    tail = f"<p><i>{html.escape(note)}</i></p>" if note else ""
    return f'<div class="verdicts"><ul>{"".join(rows)}</ul>{tail}</div>'


def _mark(check: CheckResult) -> str:
    """A verdict in a word, with its points where there are any to tell."""
    if check.verdict is Verdict.UNGRADED:
        return "not graded yet"
    word = "passed" if check.verdict is Verdict.PASS else check.verdict.value.lower()
    return f"{word} {check.points:g}/{check.max_points:g}"
