"""Papers of a personal assignment for a whole class: a notebook and a printable page for each student."""

from __future__ import annotations

import csv
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import nbformat

from grading.build import release_notebook
from grading.course import Course, CourseError, Plan, course_secret, load_plan, personal_plan, require_secret
from grading.files import replace_file
from grading.gradebook import open_gradebook
from grading.notebooks import write
from grading.printing import printed
from grading.variant import MARK, PRACTICE

_ID_COLUMNS = ("student_id", "student", "id", "username")
_SEPARATORS = ",;\t"  # commas, and what spreadsheets write where a comma is the decimal point
_LONGEST_NAME = 255  # bytes, of a folder on most file systems


def personal_assignment(course: Course, name: str | None) -> Plan:
    """The plan of the assignment of this name, or of the only personal one of the course. Raises CourseError."""
    names = [name] if name else course.assignments()
    plans = [plan for plan in (load_plan(course, found) for found in names) if plan.template is not None]
    if len(plans) != 1:
        told = "is the same for all students" if name else f"is not the only personal one of the course's {len(plans)}"
        raise CourseError(f"{name or 'the assignment'} {told}: name an exam")
    return plans[0]


def paper_text(plan: Plan) -> str:
    """A paper as Markdown: what its student reads, with the cells to be written in."""
    parts = []
    for cell in release_notebook(plan.blueprint.notebook).cells:
        parts.append(cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```")
    return "\n\n".join(parts)


def read_roster(path: Path) -> list[str]:
    """Students of a roster: a name a line, or a table with a column student_id. Raises CourseError."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise CourseError(f"{path.name} is no text in UTF-8; save it as CSV in UTF-8") from error
    tables = [_rows(lines, separator) for separator in _SEPARATORS]
    for rows in tables:
        header = [field.strip().casefold().replace(" ", "_") for field in rows[0]] if rows else []
        for column in [header.index(name) for name in _ID_COLUMNS if name in header][:1]:
            return checked((row[column].strip() for row in rows[1:] if len(row) > column), path.name)
    if any(len(row) > 1 for rows in tables for row in rows):
        raise CourseError(f"{path.name} has several columns, and none of them is called {' or '.join(_ID_COLUMNS)}")
    return checked((row[0].strip() for row in tables[0]), path.name)


def _rows(lines: Iterable[str], separator: str) -> list[list[str]]:
    """The rows of a table that are not empty."""
    return [row for row in csv.reader(lines, delimiter=separator) if any(field.strip() for field in row)]


def checked(names: Iterable[str], origin: str) -> list[str]:
    """Names that a folder can have, each once however its accents are written, in order. Raises CourseError."""
    found = sorted({unicodedata.normalize("NFC", name): name for name in names if name}.values())
    if not found:
        raise CourseError(f"{origin} names no student")
    for name in found:
        if "/" in name or name.startswith(".") or any(unicodedata.category(letter) == "Cc" for letter in name):
            raise CourseError(f"{origin} names a student {name!r}, which no folder can be called")
        if len(os.fsencode(name)) > _LONGEST_NAME:
            raise CourseError(f"{origin} names a student {name[:20]!r}…, which is too long for a folder's name")
    return found


def gradebook_students(course: Course) -> list[str]:
    """The students that nbgrader knows. Raises CourseError."""
    with open_gradebook(course) as gradebook:
        known = gradebook.students()
    return checked(known, "nbgrader's gradebook (name a roster with --roster, or add students with `nbgrader db student`)")


def write_papers(course: Course, plan: Plan, students: Iterable[str], out: Path) -> Iterator[str]:
    """Write each student's notebook and page; yields each name when both stand. A name gets the same paper every time."""
    secret, pictures = course_secret(course), solved_pictures(course, plan.assignment.name)
    name = plan.assignment.name
    given = {file: (course.source / name / file).read_bytes() for file in plan.assignment.given}
    for student in students:
        notebook = release_notebook(personal_plan(plan, secret, student).blueprint.notebook)
        folder = out / student / name
        for file, content in {f"{name}.ipynb": write(notebook).encode(), **given}.items():
            replace_file(folder / file, content)
        replace_file(out / student / f"{name}.html", printed(notebook, f"{name}, {student}", pictures).encode())
        yield student


def solved_pictures(course: Course, name: str) -> Mapping[str, str]:
    """Figures of given cells, in base64, by cell id: the solved notebook has them. None where it has not been built."""
    path = course.solutions / name / f"{name}.ipynb"
    if not path.is_file():
        return {}
    cells = nbformat.read(path, as_version=4).cells
    outputs = ((cell.id, o) for cell in cells for o in cell.get("outputs", []) if "nbgrader" not in cell.metadata)
    return {cell: o.data["image/png"] for cell, o in outputs if "image/png" in o.get("data", {})}


def owner_of(course: Course, plan: Plan, mark: str, students: Iterable[str]) -> str | None:
    """The student whose paper has this code, as papers are drawn now; `practice` for the practice paper's. Raises CourseError."""
    wanted = mark.strip().lower()
    if not MARK.fullmatch(wanted):
        raise CourseError(f"{mark!r} is no paper's code; one looks like {plan.mark}")
    require_secret(course, "no paper can be traced")
    secret = course_secret(course)
    return next((s for s in (PRACTICE, *students) if personal_plan(plan, secret, s).mark == wanted), None)
