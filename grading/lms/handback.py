"""Feedback in the form in which Canvas and Moodle take files for all students at once.

Moodle's importer of feedback files finds the student by the folder that its own download had for them, and keeps any file in
it: the page that nbgrader made. Canvas finds the student and the submitted file by the two numbers in the name that its
download had, and shows what it is given under the name of the submitted file: so it must be a notebook, and is one, with
scores and comments written in.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell

from grading.course import Course
from grading.export import FeedbackGrades
from grading.files import replace_file
from grading.lms.attempts import Decision
from grading.lms.names import CANVAS, MOODLE, read_claim


@dataclass(frozen=True)
class Return:
    """One student's feedback: its name in the archive and its content, or why there is none."""

    student: str
    name: str = ""
    content: bytes = b""
    why: str = ""


def returns(course: Course, assignment: str, decisions: list[Decision], db_url: str) -> Iterator[Return]:
    """Feedback for everybody whose notebook came from an LMS."""
    for decision in decisions:
        if decision.taken_as != f"{assignment}.ipynb":
            continue
        try:
            yield _return(course, assignment, decision, db_url)
        except OutdatedPage:
            yield Return(
                decision.student,
                why="the feedback page is older than the last scoring; make it anew with: "
                f"nbgrader generate_feedback {assignment} --force",
            )
        except OSError:
            yield Return(
                decision.student, why=f"there is no feedback page; make it with: nbgrader generate_feedback {assignment}"
            )


def _return(course: Course, assignment: str, decision: Decision, db_url: str) -> Return:
    student = decision.student
    page = read_page(course, assignment, student)
    if decision.lms == MOODLE:
        claim = read_claim(decision.part)
        flat = claim is not None and claim.file  # no folders: what the student called the file stands behind the same beginning
        folder = decision.part.removesuffix(claim.file) if claim and flat else f"{decision.part}/"
        return Return(student, f"{folder}{assignment}.html", page)
    if decision.lms == CANVAS:
        notebook = feedback_notebook(course, assignment, student, db_url)
        packed = decision.part.lower().endswith(".zip")  # and shown as what was handed in: an archive
        return Return(student, decision.part, _archive([(f"{assignment}.ipynb", notebook)]) if packed else notebook)
    return Return(student, why=f"the download names no LMS; the page is feedback/{student}/{assignment}/{assignment}.html")


class OutdatedPage(Exception):
    """A feedback page that was made before its submission was last scored."""


def read_page(course: Course, assignment: str, student: str) -> bytes:
    """The feedback page that nbgrader made. Raises OSError where there is none, OutdatedPage."""
    page = course.run_root / "feedback" / student / assignment / f"{assignment}.html"
    content, verdicts = page.read_bytes(), course.autograded / student / assignment / "verdicts.json"
    if verdicts.is_file() and verdicts.stat().st_mtime_ns > page.stat().st_mtime_ns:
        raise OutdatedPage
    return content


def feedback_notebook(course: Course, assignment: str, student: str, db_url: str) -> bytes:
    """The graded notebook with the score, the points of each cell and a person's comments in it."""
    path = course.autograded / student / assignment / f"{assignment}.ipynb"
    resources = {"nbgrader": {"assignment": assignment, "notebook": assignment, "student": student, "db_url": db_url}}
    notebook, told = FeedbackGrades().preprocess(nbformat.read(path, as_version=4), resources)
    summary = told["nbgrader"]
    head = f"# Feedback on {assignment}\n\nScore: **{_points(summary['score'])} / {_points(summary['max_score'])}**"
    if late := summary.get("late_penalty"):
        head += f", of which {_points(late)} are taken off for lateness"
    cells = [new_markdown_cell(head)]
    for cell in notebook.cells:
        cells += [cell, *_remarks(cell)]
    notebook.cells = cells
    text: str = nbformat.writes(notebook)
    return text.encode()


def _remarks(cell: NotebookNode) -> Iterator[NotebookNode]:
    about = cell.metadata.get("nbgrader", {})
    told = []
    if about.get("grade") or about.get("task"):
        told.append(f"**Score: {_points(about.get('score', 0.0))} / {_points(about.get('points', 0.0))}**")
    if about.get("comment"):
        told.append(f"**Comment:** {about['comment']}")
    if told:
        yield new_markdown_cell("\n\n".join(told))


def _points(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def write_returns(path: Path, given: list[Return]) -> None:
    """The archive to upload."""
    replace_file(path, _archive((one.name, one.content) for one in given))


def _archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files:
            archive.writestr(name, text)
    return content.getvalue()
