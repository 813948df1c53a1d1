"""Whose paper a personal notebook is: by the codes that it carries, and by the texts of the questions that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nbformat.notebooknode import NotebookNode

from grading.blueprint import Blueprint
from grading.variant import MARK
from grading.verdict import Finding

# Notes beside a question and struck options leave most of its lines as they are; another question of the same kind shares, beside
# its heading, the line that says how to answer, and that may be one line of two.
_KEPT = 0.5
# Two students share some questions, and one question may be edited beyond recognition: a third of them is no accident.
_ANOTHERS = 1 / 3
_GRADED = "It was graded by this student's own paper."


def paper_findings(notebook: NotebookNode, blueprint: Blueprint, mark: str) -> list[Finding]:
    """What says that a personal notebook is not the one that was drawn for its student; nothing where there is no mark."""
    return [*_code_findings(notebook, mark), *_question_findings(notebook, blueprint, mark)] if mark else []


def _code_findings(notebook: NotebookNode, mark: str) -> Iterator[Finding]:
    found = {code for cell in notebook.cells for text in (cell.source, cell.get("id", "")) for code in MARK.findall(text)}
    if others := sorted(found - {mark}):
        told = f"The notebook carries the code of another paper, {', '.join(others[:5])}; this student's is {mark}."
        yield Finding("another-paper", None, f"{told} {_GRADED}")
    elif not found:
        yield Finding("no-paper-code", None, "The notebook carries no code that says whose paper it is.")


def _question_findings(notebook: NotebookNode, blueprint: Blueprint, mark: str) -> Iterator[Finding]:
    """Whether questions are others than this student's; ones that are missing say nothing."""
    drawn = [_lines(c.source) for c in blueprint.notebook.cells if c.cell_type == "markdown" and str(c.id).endswith(f"-{mark}")]
    questions = [lines for lines in drawn if len(lines) > 1]
    shown = [_lines(cell.source) for cell in notebook.cells]
    present = {line for lines in shown for line in lines}
    headings = {lines[0] for lines in shown if lines}
    other = [q[0] for q in questions if q[0] in headings and _kept(q[1:], present) <= _KEPT]
    if other and len(other) >= _ANOTHERS * len(questions):
        told = (
            f"{len(other)} of {len(questions)} questions read otherwise than in this student's paper, as those of another would."
        )
        yield Finding("another-paper", None, f"{told} {_GRADED}")
    elif other:
        named = ", ".join(heading.strip("# ") for heading in other)
        yield Finding("changed-question", None, f"The text of a question was changed: {named}. {_GRADED}")


def _lines(text: str) -> list[str]:
    """The lines of a text that hold something, with single blanks."""
    return [words for line in text.splitlines() if (words := " ".join(line.split()))]


def _kept(lines: Sequence[str], present: set[str]) -> float:
    """The share of lines that stand somewhere in the notebook."""
    return sum(line in present for line in lines) / len(lines)
