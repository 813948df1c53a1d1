"""The rows of nbgrader's gradebook that a scoring run writes, many submissions of one assignment at a time.

What a person has entered (manual scores, extra credit, comments, extensions) is read and never written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from nbgrader import api
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from grading.verdict import Result

Penalty = Callable[[str, float, float], float | None]
"""Points taken off for lateness, from the student's id, the points and the seconds late: nbgrader's late submission plugin."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Cells:
    """What the gradebook holds of an assignment: its due date, its notebook, the cells that get a grade and those that get a
    comment, by grade id."""

    assignment: str
    duedate: datetime | None
    notebook: str
    graded: Mapping[str, str]
    commented: Mapping[str, str]


@dataclass(frozen=True)
class Entry:
    """What is written of one submission; `timestamp` is when it was handed in, in UTC, as far as that is known. How late that is
    follows from the due date and extensions in the gradebook, unless `late_s` says it."""

    student: str
    result: Result
    unanswered: frozenset[str]
    timestamp: datetime | None
    late_s: float | None = None


@dataclass(frozen=True)
class Sheet:
    """An entry's rows: its notebook's id, and the extension that a person has granted."""

    entry: Entry
    notebook: str
    extension: timedelta | None


def read_cells(session: Session, name: str) -> Cells:
    """The rows of an assignment that is in the gradebook already."""
    assignment, duedate = session.execute(
        select(api.Assignment.id, api.Assignment.duedate).where(api.Assignment.name == name)
    ).one()
    of_notebook = (api.Notebook.assignment_id == assignment, api.Notebook.name == name)
    notebook = session.execute(select(api.Notebook.id).where(*of_notebook)).scalar_one()
    cells: dict[str, dict[str, str]] = {}
    for model in (api.GradeCell, api.SolutionCell, api.TaskCell):
        found = session.execute(select(model.name, model.id).where(model.notebook_id == notebook))
        cells[model.__name__] = dict(found.all())
    tasks = cells["TaskCell"]
    return Cells(assignment, duedate, notebook, cells["GradeCell"] | tasks, cells["SolutionCell"] | tasks)


def write_entries(session: Session, cells: Cells, entries: Iterable[Entry], penalty: Penalty | None) -> None:
    """Write submissions; nine statements, however many there are."""
    by_student = {entry.student: entry for entry in entries}
    if not by_student:
        return
    sheets = find_sheets(session, cells, by_student)
    totals = write_grades(session, cells, sheets)
    write_comments(session, cells, sheets)
    taken = [
        {"id": sheet.notebook, "late_submission_penalty": points_taken(sheet, cells, total, penalty)}
        for sheet, total in zip(sheets, totals, strict=True)
    ]
    store(session, api.SubmittedNotebook, [], taken)


def find_sheets(session: Session, cells: Cells, by_student: Mapping[str, Entry]) -> list[Sheet]:
    """The rows of submissions, made where there are none."""
    known = set(session.scalars(select(api.Student.id).where(api.Student.id.in_(by_student))))
    store(session, api.Student, [{"id": student} for student in by_student if student not in known], [])
    model = api.SubmittedAssignment
    of_students = (model.assignment_id == cells.assignment, model.student_id.in_(by_student))
    found = {
        row.student_id: row for row in session.execute(select(model.student_id, model.id, model.extension).where(*of_students))
    }
    made = {student: api.new_uuid() for student in by_student if student not in found}
    new = [
        {"id": uuid, "assignment_id": cells.assignment, "student_id": student, "timestamp": by_student[student].timestamp}
        for student, uuid in made.items()
    ]
    store(session, model, new, [{"id": row.id, "timestamp": by_student[student].timestamp} for student, row in found.items()])
    submissions = made | {student: row.id for student, row in found.items()}
    notebooks = find_notebooks(session, cells, list(submissions.values()))
    extensions = {student: row.extension for student, row in found.items()}
    return [Sheet(entry, notebooks[submissions[name]], extensions.get(name)) for name, entry in by_student.items()]


def find_notebooks(session: Session, cells: Cells, submissions: Sequence[str]) -> dict[str, str]:
    """The ids of submitted notebooks by their submissions', made where there are none."""
    model = api.SubmittedNotebook
    of_submissions = (model.assignment_id.in_(submissions), model.notebook_id == cells.notebook)
    found: dict[str, str] = dict(session.execute(select(model.assignment_id, model.id).where(*of_submissions)).all())
    made = {submission: api.new_uuid() for submission in submissions if submission not in found}
    new = [{"id": i, "assignment_id": s, "notebook_id": cells.notebook, "flagged": False} for s, i in made.items()]
    store(session, model, new, [])
    return found | made


def write_grades(session: Session, cells: Cells, sheets: Sequence[Sheet]) -> list[float]:
    """Write the points of every graded cell; each submission's sum of what counts, a person's scores before the machine's."""
    model = api.Grade
    columns = (model.id, model.cell_id, model.auto_score, model.manual_score, model.extra_credit, model.needs_manual_grade)
    query = select(model.notebook_id, *columns).where(model.notebook_id.in_([sheet.notebook for sheet in sheets]))
    found = {(row.notebook_id, row.cell_id): row for row in session.execute(query)}
    new: list[Row] = []
    changed: list[Row] = []
    totals = []
    for sheet in sheets:
        total = 0.0
        for name, cell_id in cells.graded.items():
            points, old = sheet.entry.result.cell_points(name), found.get((sheet.notebook, cell_id))
            manual, extra = (old.manual_score, old.extra_credit) if old else (None, None)
            total += (manual if manual is not None else points or 0.0) + (extra or 0.0)
            values = {"auto_score": points, "needs_manual_grade": needs_person(points, old)}
            if old is None:
                new.append(values | {"cell_id": cell_id, "notebook_id": sheet.notebook})
            else:
                changed.append(values | {"id": old.id})
        totals.append(total)
    store(session, model, new, changed)
    return totals


def needs_person(points: float | None, old: Any) -> bool:
    """Undecided cells wait for a person; a cell that a person has scored does so again when the machine's points have moved."""
    if old is None or old.manual_score is None:
        return points is None
    return bool(old.needs_manual_grade or old.auto_score != points)


def write_comments(session: Session, cells: Cells, sheets: Sequence[Sheet]) -> None:
    """Write "No response." where nothing was written, as nbgrader does."""
    model = api.Comment
    query = select(model.notebook_id, model.cell_id, model.id)
    rows = session.execute(query.where(model.notebook_id.in_([sheet.notebook for sheet in sheets])))
    found = {(row.notebook_id, row.cell_id): row.id for row in rows}
    new: list[Row] = []
    changed: list[Row] = []
    for sheet in sheets:
        for name, cell_id in cells.commented.items():
            values = {"auto_comment": "No response." if name in sheet.entry.unanswered else None}
            if (old := found.get((sheet.notebook, cell_id))) is not None:
                changed.append(values | {"id": old})
            else:
                new.append(values | {"cell_id": cell_id, "notebook_id": sheet.notebook})
    store(session, model, new, changed)


def points_taken(sheet: Sheet, cells: Cells, total: float, penalty: Penalty | None) -> float | None:
    """What lateness costs, between nothing and all points; None where it costs nothing."""
    own_s = sheet.entry.late_s
    late_s = seconds_late(cells.duedate, sheet.extension, sheet.entry.timestamp) if own_s is None else own_s
    taken = penalty(sheet.entry.student, total, late_s) if penalty and late_s > 0 else None
    return None if taken is None else min(max(taken, 0.0), total)


def seconds_late(duedate: datetime | None, extension: timedelta | None, timestamp: datetime | None) -> float:
    """How long after the due date, an extension counted in."""
    if duedate is None or timestamp is None:
        return 0.0
    return max(0.0, (timestamp - duedate - (extension or timedelta())).total_seconds())


def store(session: Session, model: Any, new: list[Row], changed: list[Row]) -> None:
    """Insert and update rows in one statement each, past the ORM, which costs several times as much; values not named stay."""
    table = model.__table__
    if new:
        session.execute(insert(table), new)
    if changed:
        values: Row = {name: bindparam(f"new_{name}") for name in changed[0] if name != "id"}
        rows = [{f"new_{name}": value for name, value in row.items()} for row in changed]
        session.connection().execute(update(table).where(table.c.id == bindparam("new_id")).values(values), rows)
