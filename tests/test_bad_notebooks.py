"""Cells that were moved, doubled, deleted, retyped or relabelled: answers count all the same, and each change is told."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from grading.course import Plan
from grading.notebooks import grade_id, is_answer, is_graded
from tests.conftest import HandIn, Judge, earned, full

ADDITIVE = {"additive_scores": 0.0}


def at(notebook: NotebookNode, name: str) -> int:
    """The position of a cell by its grade id."""
    return next(i for i, cell in enumerate(notebook.cells) if grade_id(cell) == name)


def take(notebook: NotebookNode, name: str) -> NotebookNode:
    """Take a cell out."""
    return notebook.cells.pop(at(notebook, name))


def double_answer(notebook: NotebookNode) -> None:
    position = at(notebook, "additive_scores_answer")
    notebook.cells.insert(position + 1, copy.deepcopy(notebook.cells[position]))


def double_answer_and_break_the_copy(notebook: NotebookNode) -> None:
    double_answer(notebook)
    notebook.cells[at(notebook, "additive_scores_answer") + 1].source = "def additive_scores(*anything): return None"


def double_answer_and_break_the_original(notebook: NotebookNode) -> None:
    double_answer(notebook)
    notebook.cells[at(notebook, "additive_scores_answer")].source = "def additive_scores(*anything): return None"


def double_graded(notebook: NotebookNode) -> None:
    position = at(notebook, "additive_scores")
    notebook.cells.insert(position + 1, copy.deepcopy(notebook.cells[position]))


def double_everything(notebook: NotebookNode) -> None:
    notebook.cells += copy.deepcopy(notebook.cells)


def delete_graded(notebook: NotebookNode) -> None:
    take(notebook, "additive_scores")


def delete_all_graded(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if not is_graded(cell)]


def delete_answer(notebook: NotebookNode) -> None:
    take(notebook, "additive_scores_answer")


def delete_all_but_answers(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if is_answer(cell)]


def paste_into_another_answer(notebook: NotebookNode) -> None:
    taken = take(notebook, "additive_scores_answer")
    other = notebook.cells[at(notebook, "attention_answer")]
    other.source = taken.source + "\n\n" + other.source


def paste_before_its_graded_cell(notebook: NotebookNode) -> None:
    taken = take(notebook, "additive_scores_answer")
    notebook.cells.insert(at(notebook, "additive_scores"), new_code_cell(taken.source))


def paste_at_the_end(notebook: NotebookNode) -> None:
    notebook.cells.append(new_code_cell(take(notebook, "additive_scores_answer").source))


def reverse(notebook: NotebookNode) -> None:
    notebook.cells.reverse()


def swap_answers(notebook: NotebookNode) -> None:
    first, second = at(notebook, "additive_scores_answer"), at(notebook, "hard_lookup_answer")
    notebook.cells[first], notebook.cells[second] = notebook.cells[second], notebook.cells[first]


def swap_grade_ids(notebook: NotebookNode) -> None:
    first, second = (notebook.cells[at(notebook, name)] for name in ("soft_lookup_answer", "hard_lookup_answer"))
    first.metadata.nbgrader.grade_id, second.metadata.nbgrader.grade_id = "hard_lookup_answer", "soft_lookup_answer"


def retype(name: str, kind: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        cell = notebook.cells[at(notebook, name)]
        plain = {"cell_type": kind, "id": cell.id, "metadata": cell.metadata, "source": cell.source}
        notebook.cells[at(notebook, name)] = NotebookNode(plain)

    return change


def label(name: str, **fields: Any) -> Callable[[NotebookNode], None]:
    """Change nbgrader's metadata of a cell."""

    def change(notebook: NotebookNode) -> None:
        notebook.cells[at(notebook, name)].metadata.nbgrader.update(fields)

    return change


def tag_everything(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["tags"] = ["skip-execution", "raises-exception", "nbgrader-skip"]


def strip_metadata(notebook: NotebookNode) -> None:
    notebook.metadata = NotebookNode()
    for cell in notebook.cells:
        cell.metadata = NotebookNode()


def strip_metadata_and_ids(notebook: NotebookNode) -> None:
    strip_metadata(notebook)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"fresh-{number}"


def odd_metadata(notebook: NotebookNode) -> None:
    for cell, odd in zip(
        notebook.cells, [{"nbgrader": 7}, {"nbgrader": {"grade_id": [1]}}, {"nbgrader": {"grade_id": "no such"}}], strict=False
    ):
        cell.metadata = NotebookNode(odd)


def own_cells(notebook: NotebookNode) -> None:
    notebook.cells.insert(0, new_code_cell("def outer(a, b):\n    return a.unsqueeze(-2) + b.unsqueeze(-3)"))
    notebook.cells.insert(1, new_markdown_cell("My notes."))
    cell = notebook.cells[at(notebook, "additive_scores_answer")]
    cell.source = "def additive_scores(q, k, W_q, W_k, v):\n    return torch.tanh(outer(q @ W_q, k @ W_k)) @ v"


def change_given_cells(notebook: NotebookNode) -> None:
    notebook.cells[at(notebook, "attention")].source = "assert attention is None"
    notebook.cells[at(notebook, "attention_against_torch")].source = "import os; os._exit(0)"


CHANGES: Mapping[str, tuple[Callable[[NotebookNode], None], Mapping[str, float], Mapping[str, str | None]]] = {
    "a doubled answer": (double_answer, {}, {"duplicated": "additive_scores_answer"}),
    "a doubled answer, the copy broken": (double_answer_and_break_the_copy, ADDITIVE, {"duplicated": "additive_scores_answer"}),
    "a doubled answer, the original broken": (double_answer_and_break_the_original, {}, {"duplicated": "additive_scores_answer"}),
    "a doubled graded cell": (double_graded, {}, {"duplicated": "additive_scores"}),
    "everything doubled": (double_everything, {}, {"duplicated": "additive_scores_answer", "reordered": None}),
    "a deleted graded cell": (delete_graded, {}, {"missing-cell": "additive_scores"}),
    "all graded cells deleted": (delete_all_graded, {}, {"missing-cell": "m1_claims"}),
    "a deleted answer": (delete_answer, ADDITIVE, {"missing-cell": "additive_scores_answer"}),
    "all but the answers deleted": (delete_all_but_answers, {}, {"missing-cell": "additive_scores"}),
    "pasted into another answer": (paste_into_another_answer, {}, {"missing-cell": "additive_scores_answer"}),
    "pasted before its graded cell": (paste_before_its_graded_cell, {}, {"missing-cell": "additive_scores_answer"}),
    "pasted at the end": (paste_at_the_end, {}, {"missing-cell": "additive_scores_answer"}),
    "the order reversed": (reverse, {}, {"reordered": None}),
    "two answers swapped": (swap_answers, {}, {"reordered": None}),
    "two grade ids swapped": (swap_grade_ids, {}, {}),
    "an answer made text": (retype("additive_scores_answer", "markdown"), {}, {"retyped": "additive_scores_answer"}),
    "an answer made raw": (retype("additive_scores_answer", "raw"), {}, {"retyped": "additive_scores_answer"}),
    "a graded cell made text": (retype("additive_scores", "markdown"), {}, {"retyped": "additive_scores"}),
    "an answer renamed": (
        label("additive_scores_answer", grade_id="mine"),
        {},
        {"renamed": None, "missing-cell": "additive_scores_answer"},
    ),
    "a graded cell renamed": (label("additive_scores", grade_id="mine"), {}, {"missing-cell": "additive_scores"}),
    "an answer named as a graded cell": (label("additive_scores_answer", grade_id="additive_scores"), {}, {"renamed": None}),
    "more points": (label("additive_scores", points=400), {}, {"changed-points": "additive_scores"}),
    "points that are no number": (label("additive_scores", points="many"), {}, {"changed-points": "additive_scores"}),
    "the grade flag taken away": (label("additive_scores", grade=False), {}, {"changed-metadata": "additive_scores"}),
    "a solution flag on a graded cell": (label("additive_scores", solution=True), {}, {"changed-metadata": "additive_scores"}),
    "no solution flag on an answer": (
        label("additive_scores_answer", solution=False),
        {},
        {"changed-metadata": "additive_scores_answer"},
    ),
    "an unlocked cell": (label("additive_scores", locked=False), {}, {"changed-metadata": "additive_scores"}),
    "schema version 1": (label("additive_scores", schema_version=1), {}, {"changed-metadata": "additive_scores"}),
    "schema version 99": (label("additive_scores", schema_version=99), {}, {"changed-metadata": "additive_scores"}),
    "a schema version that is no number": (
        label("additive_scores", schema_version=[]),
        {},
        {"changed-metadata": "additive_scores"},
    ),
    "tags": (tag_everything, {}, {"tags": "additive_scores"}),
    "no metadata at all": (strip_metadata, {}, {}),
    "neither metadata nor cell ids": (strip_metadata_and_ids, {}, {}),
    "metadata of odd kinds": (odd_metadata, {}, {"renamed": None}),
    "cells of the student's own": (own_cells, {}, {}),
    "given cells changed": (change_given_cells, {}, {"changed-given-cell": "attention"}),
}


@pytest.mark.parametrize(("change", "lost", "told"), CHANGES.values(), ids=CHANGES)
def test_a_changed_notebook_earns_what_its_answers_earn(
    plan: Plan,
    judge: Judge,
    handed_in: HandIn,
    change: Callable[[NotebookNode], None],
    lost: Mapping[str, float],
    told: Mapping[str, str | None],
) -> None:
    result = judge(handed_in(change=change))
    assert (result.status, earned(plan, result)) == ("graded", full(plan, lost)), result.findings
    assert {(kind, cell) for kind, cell in told.items()} <= {(finding.kind, finding.cell) for finding in result.findings}
    named = {check.message for check in result.checks if check.cell in lost and not check.points}
    assert all("additive_scores" in message or "the scores" in message for message in named)


def test_the_solved_notebook_earns_everything_and_nothing_is_odd_about_it(plan: Plan, judge: Judge, handed_in: HandIn) -> None:
    result = judge(handed_in())
    assert (result.status, earned(plan, result), result.findings) == ("graded", full(plan), ())
