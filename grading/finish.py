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
from nbformat.v4 import new_output

from grading.notebooks import grade_id, is_machine_graded, visible_text
from grading.rebuild import Blueprint, Rebuilt
from grading.sandbox.session import CellRun
from grading.verdict import CheckResult, Result, Verdict

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,16}")


def finish(rebuilt: Rebuilt, blueprint: Blueprint, runs: Mapping[str, CellRun], result: Result) -> NotebookNode:
    """The notebook that goes into autograded/."""
    notebook = rebuilt.notebook(blueprint.notebook)
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        run = runs.get(cell_name(position))
        if is_machine_graded(cell):
            cell.source = visible_text(cell.source)
            cell.outputs = verdict_outputs(result, grade_id(cell) or "", run)
        elif run is not None:
            cell.outputs = [nbformat.from_dict(o) for o in run_outputs(run)]
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
        outputs.append(
            new_output("error", ename=run.error["name"], evalue=mask(str(run.error.get("message", ""))), traceback=lines)
        )
    elif run.status != "ok":
        outputs.append(_stream("stderr", f"[The cell did not end by itself: {run.detail}]\n"))
    return outputs


def _output(item: Mapping[str, Any]) -> dict[str, Any]:
    if "stream" in item:
        return _stream(item["stream"], mask(bytes(item["data"]).decode("utf-8", "replace")))
    data = {kind: mask(text) for kind, text in item["data"].items()}
    data.pop("text/html", None)  # a student's markup would run in the reader's browser
    data.setdefault("text/plain", "")
    return dict(new_output("display_data", data=data))


def _stream(name: str, text: str) -> dict[str, Any]:
    return dict(new_output("stream", name=name, text=text))


def mask(text: str) -> str:
    """Text without addresses of objects, which differ from run to run."""
    return _ADDRESS.sub("0x…", text)


def verdict_outputs(result: Result, cell: str, run: CellRun | None) -> list[NotebookNode]:
    """What a graded cell shows: the visible part's error if it raised, each check's message, and the points."""
    checks = [c for c in result.checks if c.cell == cell]
    points = result.cell_points(cell)
    shown = new_output("display_data", data={"text/plain": plain_verdicts(checks, run), "text/html": html_verdicts(checks, run)})
    if points is None:
        # Stock nbgrader would read a missing result as full marks; an error output is never that.
        return [shown, new_output("error", ename="Ungraded", evalue="a person will look at this cell", traceback=[])]
    return [shown, new_output("execute_result", data={"text/plain": repr(points)}, execution_count=1)]


def _visible_failure(run: CellRun | None) -> str:
    if run is None or run.status == "ok":
        return ""
    if run.error is None:
        return f"The visible part of this cell did not end by itself: {run.detail}."
    return mask(f"The visible part of this cell stopped with {run.error['name']}: {str(run.error.get('message', ''))[:500]}")


def plain_verdicts(checks: Sequence[CheckResult], run: CellRun | None) -> str:
    """The messages of a cell's checks, a line each."""
    lines = [f"{_mark(c)} {c.points:g}/{c.max_points:g} {c.message}" for c in checks]
    return "\n".join([*lines, *filter(None, [_visible_failure(run)])])


def html_verdicts(checks: Sequence[CheckResult], run: CellRun | None) -> str:
    """The same as a list in HTML, with every text escaped."""
    rows = [f"<li><b>{_mark(c)} {c.points:g}/{c.max_points:g}</b> {html.escape(c.message)}</li>" for c in checks]
    note = _visible_failure(run)
    tail = f"<p><i>{html.escape(note)}</i></p>" if note else ""
    return f'<div class="verdicts"><ul>{"".join(rows)}</ul>{tail}</div>'


def _mark(check: CheckResult) -> str:
    return "passed" if check.verdict is Verdict.PASS else check.verdict.value.lower()
