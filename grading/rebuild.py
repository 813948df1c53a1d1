"""Rebuild: the instructor's notebook with the student's answers in it. Pure: no file is read, nothing is run.

From the student come the source text of answer cells, found by grade id, and the student's own cells, in place. Everything else
in a submitted file (tags, points, schema, cell types, locked cells) is dropped; what was odd becomes a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import nbformat
from nbformat.notebooknode import NotebookNode

from grading.blueprint import Blueprint, normal
from grading.notebooks import grade_id, is_answer, is_graded, nbgrader_metadata
from grading.verdict import Finding

_IMAGES = ("image/png", "image/jpeg")
_LARGEST_ATTACHMENTS = 8_000_000  # characters of base64 in all: a few photographed pages


@dataclass(frozen=True)
class RebuiltCell:
    """One cell to run or to show: a source cell (with its position) or one of the student's own."""

    cell: NotebookNode
    origin: int | None

    @property
    def title(self) -> str:
        """What a person calls this cell."""
        found = grade_id(self.cell)
        if found:
            return f"the cell `{found}`"
        return f"{'your' if self.origin is None else 'the given'} cell `{_first_line(self.cell.source)}`"


@dataclass(frozen=True)
class Rebuilt:
    """The notebook to run, the student's answers by grade id, and what was found on the way."""

    cells: tuple[RebuiltCell, ...]
    answers: Mapping[str, str]
    findings: tuple[Finding, ...]

    def notebook(self, source: NotebookNode) -> NotebookNode:
        """The rebuilt cells as a notebook, with the source's metadata."""
        cells = [copy_cell(c.cell) for c in self.cells]
        return NotebookNode({"cells": cells, "metadata": source.metadata, "nbformat": 4, "nbformat_minor": 5})


def copy_cell(cell: NotebookNode) -> NotebookNode:
    """A cell whose fields and metadata can be set without touching the original's."""
    return NotebookNode({**cell, "metadata": nbformat.from_dict(dict(cell.metadata))})


def _first_line(text: str) -> str:
    return next((line.strip()[:60] for line in text.splitlines() if line.strip()), "(empty)")


def rebuild(submitted: NotebookNode, blueprint: Blueprint) -> Rebuilt:
    """Put a student's answers and own cells into the source notebook."""
    sorted_cells = _Sorter(blueprint).sort(submitted.cells)
    cells = list(_place(sorted_cells, blueprint))
    findings = [*sorted_cells.findings, *_missing(sorted_cells, blueprint)]
    return Rebuilt(tuple(cells), _answer_texts(sorted_cells, blueprint), tuple(findings))


@dataclass
class _Sorted:
    answers: dict[str, NotebookNode]
    own: dict[int, list[NotebookNode]]  # by the position that they run after; -1 for before everything
    copies: dict[str, list[NotebookNode]]
    seen: set[str]
    findings: list[Finding]


class _Sorter:
    """Walks a student's cells once and says what each is."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.result = _Sorted({}, {}, {}, set(), [])
        self.position = -1  # of the source cell that was met last

    def sort(self, cells: Sequence[NotebookNode]) -> _Sorted:
        if any("\r" in cell.source for cell in cells):
            self.note("line-ends", None, "The file has Windows line ends; they were read as plain ones.")
        order = [self._take(cell) for cell in cells]
        met = [p for p in order if p is not None]
        if met != sorted(met):
            self.note(
                "reordered",
                None,
                "Cells stand in another order than in the released notebook; they were run in the released order.",
            )
        return self.result

    def note(self, kind: str, cell: str | None, message: str) -> None:
        if not any(f.kind == kind and f.cell == cell for f in self.result.findings):
            self.result.findings.append(Finding(kind, cell, message))

    def _take(self, cell: NotebookNode) -> int | None:
        """File one cell; the position of the source cell that it is, or None for the student's own."""
        cell.source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
        named = grade_id(cell)
        if named in self.blueprint.by_grade_id:
            if not self._is_mislabelled_answer(cell, str(named)):
                return self._take_named(cell, str(named))
            told = f"An answer carries the grade id of a given cell, {named!r}; it was run as a cell of your own."
            self.note("renamed", None, told)
        elif named is not None:
            self.note("renamed", None, f"A cell carries the unknown grade id {named[:60]!r}; it was run as a cell of your own.")
        return self._take_unnamed(cell)

    def _is_mislabelled_answer(self, cell: NotebookNode, named: str) -> bool:
        """Whether a cell is a source answer by its cell id, but a given cell by its grade id."""
        cells, anchor = self.blueprint.notebook.cells, self.blueprint.by_id.get(cell.get("id", ""))
        return anchor is not None and is_answer(cells[anchor]) and not is_answer(cells[self.blueprint.by_grade_id[named]])

    def _take_named(self, cell: NotebookNode, named: str) -> int | None:
        position = self.blueprint.by_grade_id[named]
        source = self.blueprint.notebook.cells[position]
        self._compare_metadata(cell, source, named)
        if not is_answer(source):
            self._take_locked(cell, position, named)
        elif named in self.result.answers:
            self.note("duplicated", named, "The cell stands in the notebook more than once; all copies were run, in order.")
            self.result.copies.setdefault(named, []).append(cell)
            return None
        else:
            self.result.answers[named] = cell
        self.result.seen.add(named)
        self.position = position
        return position

    def _take_locked(self, cell: NotebookNode, position: int, named: str) -> None:
        if named in self.result.seen:
            self.note("duplicated", named, "A given cell stands in the notebook more than once; the original was run, once.")
        elif normal(cell.source) not in self.blueprint.texts[position]:
            self.note("changed-given-cell", named, "A given cell was changed; the original was run instead.")

    def _take_unnamed(self, cell: NotebookNode) -> int | None:
        anchor = self.blueprint.by_id.get(cell.get("id", ""))
        known = self._known_position(cell, anchor)
        if known is not None:
            self.position = known
            return known
        if anchor is not None:
            self.position = anchor
        if cell.source.strip() and cell.cell_type != "raw":
            self.result.own.setdefault(self.position, []).append(cell)
        return None

    def _known_position(self, cell: NotebookNode, anchor: int | None) -> int | None:
        text = normal(cell.source)
        if anchor is not None and text in self.blueprint.texts[anchor]:
            return anchor
        return self.blueprint.by_text.get(text) if text else None

    def _compare_metadata(self, cell: NotebookNode, source: NotebookNode, named: str) -> None:
        theirs, ours = nbgrader_metadata(cell), nbgrader_metadata(source)
        if cell.cell_type != source.cell_type:
            self.note("retyped", named, f"The cell was turned into a {cell.cell_type} cell; it was run as {source.cell_type}.")
        if is_graded(source) and theirs.get("points") != ours.get("points"):
            self.note("changed-points", named, "The cell's points were changed in the file; the assignment's own points count.")
        if any(theirs.get(key) != ours.get(key) for key in ("schema_version", "grade", "solution", "locked", "task")):
            self.note(
                "changed-metadata", named, "The cell's nbgrader metadata were changed in the file; the assignment's own count."
            )
        if cell.metadata.get("tags"):
            self.note("tags", named, "The cell carries tags; tags have no effect on grading.")


def _missing(found: _Sorted, blueprint: Blueprint) -> Iterator[Finding]:
    for named in blueprint.by_grade_id:
        if named not in found.seen:
            answer = is_answer(blueprint.notebook.cells[blueprint.by_grade_id[named]])
            kept = "its definitions count if they stand in another cell" if answer else "the original was run"
            yield Finding("missing-cell", named, f"The cell is not in the notebook; {kept}.")


def _place(found: _Sorted, blueprint: Blueprint) -> Iterator[RebuiltCell]:
    """Source cells in their order, each followed by copies of it and by the student's own cells."""
    numbered = iter(range(1, 1_000_000))
    for own in found.own.get(-1, []):
        yield _own_cell(own, next(numbered))
    for position, source in enumerate(blueprint.notebook.cells):
        yield RebuiltCell(_answered(source, found, blueprint), position)
        for own in found.copies.get(grade_id(source) or "", []):
            yield _own_cell(own, next(numbered), source.cell_type)
        for own in found.own.get(position, []):
            yield _own_cell(own, next(numbered))


def _answered(source: NotebookNode, found: _Sorted, blueprint: Blueprint) -> NotebookNode:
    """A source cell as it is run: with the student's text if it is an answer."""
    cell = copy_cell(source)
    if is_answer(source):
        answer = found.answers.get(grade_id(source) or "")
        cell.source = answer.source if answer is not None else ""
        if answer is not None and source.cell_type == "markdown":
            cell.attachments = _bounded_images(answer.get("attachments", {}))
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [], None
    return cell


def _own_cell(cell: NotebookNode, number: int, kind: str | None = None) -> RebuiltCell:
    kind = kind or cell.cell_type
    plain: dict[str, object] = {"cell_type": kind, "id": f"own-{number}", "metadata": {}, "source": cell.source}
    if kind == "code":
        plain |= {"outputs": [], "execution_count": None}
    return RebuiltCell(nbformat.from_dict(plain), None)


def _bounded_images(attachments: Mapping[str, object]) -> dict[str, dict[str, str]]:
    """PNG and JPEG attachments, as far as they stay within the bound in all."""
    kept, room = {}, _LARGEST_ATTACHMENTS
    for name, bundle in attachments.items():
        images = {k: v for k, v in bundle.items() if k in _IMAGES and isinstance(v, str)} if isinstance(bundle, dict) else {}
        size = sum(len(v) for v in images.values())
        if images and size <= room and re.fullmatch(r"[\w. ()-]{1,100}", name):
            kept[name], room = images, room - size
    return kept


def _answer_texts(found: _Sorted, blueprint: Blueprint) -> dict[str, str]:
    """The student's text of each answer, its copies after it."""
    return {
        named: "\n".join(
            c.source for c in ([found.answers[named]] if named in found.answers else []) + found.copies.get(named, [])
        )
        for named in blueprint.answers
    }
