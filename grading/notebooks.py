"""Reading any notebook there is, and the few things everyone wants to know about its cells."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from grading.verdict import Finding


class UnreadableNotebook(Exception):
    """The bytes are no notebook; the message is for the student."""


@dataclass(frozen=True)
class Opened:
    """A notebook as nbformat 4 cells, however it was written, and what was odd about it."""

    notebook: NotebookNode
    findings: tuple[Finding, ...]


def open_notebook(content: bytes) -> Opened:
    """Read a notebook of any format. Raises UnreadableNotebook."""
    findings: list[Finding] = []
    document = _parse(_decode(content, findings))
    version = document.get("nbformat")
    if type(version) is not int or not any(isinstance(document.get(key), list) for key in ("cells", "worksheets")):
        raise UnreadableNotebook("The file is JSON but no notebook: it has no list of cells.")
    if version != 4:
        findings.append(Finding("old-format", None, f"The notebook is in format {version}; it was read as format 4."))
    cells = [_plain_cell(cell) for cell in _cells(document, version)]
    readable = [cell for cell in cells if cell is not None]
    if len(readable) < len(cells):
        findings.append(Finding("broken-cell", None, f"{len(cells) - len(readable)} cells could not be read and were left out."))
    try:
        notebook = nbformat.from_dict({"cells": readable, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    except RecursionError as error:
        raise UnreadableNotebook("The notebook's metadata are nested too deeply to be read.") from error
    return Opened(notebook, tuple(findings))


def _decode(content: bytes, findings: list[Finding]) -> str:
    if not content.strip():
        raise UnreadableNotebook("The file is empty.")
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            findings.append(
                Finding("byte-order-mark", None, f"The file begins with a byte order mark; it was read as {encoding}.")
            )
            break
    else:
        encoding = "utf-8"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableNotebook("The file is not text in UTF-8, so it is no notebook.") from error


def _parse(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableNotebook("The file is not JSON, so it is no notebook; was it exported as a script or cut off?") from error
    if not isinstance(document, dict):
        raise UnreadableNotebook("The file is JSON but no notebook.")
    return document


def _cells(document: dict[str, Any], version: int) -> list[Any]:
    """The cells of format 4, or of the worksheets of format 3 and older."""
    if version >= 4:
        cells = document.get("cells")
        return cells if isinstance(cells, list) else []
    sheets = document.get("worksheets")
    lists = [s.get("cells") for s in sheets if isinstance(s, dict)] if isinstance(sheets, list) else []
    return [cell for cells in lists if isinstance(cells, list) for cell in cells]


def _plain_cell(cell: Any) -> dict[str, Any] | None:
    """Type, source, id, metadata and attachments of a cell, repaired where they are odd; None where there is no text."""
    if not isinstance(cell, dict):
        return None
    kind = cell.get("cell_type")
    text = cell.get("source", cell.get("input", ""))
    if isinstance(text, list):
        text = "".join(part for part in text if isinstance(part, str))
    if kind not in ("code", "markdown", "raw", "heading") or not isinstance(text, str):
        return None
    kind = "markdown" if kind == "heading" else kind
    metadata, identity = cell.get("metadata"), cell.get("id")
    # A lone surrogate cannot be written to a file or a pipe.
    plain = {
        "cell_type": kind,
        "source": text.encode("utf-8", "replace").decode("utf-8"),
        "metadata": metadata if isinstance(metadata, dict) else {},
    }
    plain["id"] = identity if isinstance(identity, str) else ""
    if kind == "code":
        return plain | {"outputs": [], "execution_count": None}
    attachments = cell.get("attachments")
    return plain | ({"attachments": attachments} if isinstance(attachments, dict) else {})


def grade_id(cell: NotebookNode) -> str | None:
    """The nbgrader grade id of a cell, or None."""
    found = nbgrader_metadata(cell).get("grade_id")
    return found if isinstance(found, str) else None


def nbgrader_metadata(cell: NotebookNode) -> dict[str, Any]:
    """The nbgrader part of a cell's metadata; empty where there is none."""
    found = cell.metadata.get("nbgrader")
    return found if isinstance(found, dict) else {}


def is_answer(cell: NotebookNode) -> bool:
    """True for a cell that a student writes in."""
    return nbgrader_metadata(cell).get("solution") is True


def is_graded(cell: NotebookNode) -> bool:
    """True for a cell that carries points."""
    return nbgrader_metadata(cell).get("grade") is True


def is_machine_graded(cell: NotebookNode) -> bool:
    """True for a code cell whose points the checks decide."""
    return is_graded(cell) and not is_answer(cell) and cell.cell_type == "code"


def released(source: NotebookNode) -> NotebookNode:
    """The notebook as students get it: solutions replaced by stubs, hidden regions removed (nbgrader's own preprocessors)."""
    from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

    notebook: NotebookNode = copy.deepcopy(source)
    resources: dict[str, Any] = {"nbgrader": {}}
    notebook.metadata.setdefault("kernelspec", {"language": "python", "name": "python3", "display_name": "Python 3"})
    for preprocessor in (ClearSolutions(), ClearHiddenTests()):
        notebook, resources = preprocessor.preprocess(notebook, resources)
    return notebook


def visible_text(source: str) -> str:
    """The text of a graded cell without its hidden region."""
    kept, hidden = [], False
    for line in source.splitlines():
        if "BEGIN HIDDEN TESTS" in line:
            hidden = True
        if not hidden:
            kept.append(line)
        if "END HIDDEN TESTS" in line:
            hidden = False
    return "\n".join(kept)


def write_compact(notebook: NotebookNode) -> str:
    """The same on one line, for files that no one compares line by line: ten times as fast."""
    return json.dumps(notebook, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def write(notebook: NotebookNode) -> str:
    """The text of a notebook, the same for the same content."""
    # nbformat.writes does the same and then validates what has been put together here from valid parts.
    return str(nbformat.v4.writes_json(notebook)).rstrip("\n") + "\n"
