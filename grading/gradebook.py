"""The one writer of nbgrader's gradebook, through nbgrader's own models. Called by `./course score` and by the nbgrader bridge.

A submission is written in one transaction, whole or not at all. What a person has entered (manual scores, extra credit,
comments, extensions) is read and never written.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

from alembic.script import ScriptDirectory
from nbformat.notebooknode import NotebookNode
from nbgrader import api
from nbgrader.dbutil import ALEMBIC_DIR
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
    SaveCells,
)
from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session
from traitlets.config.loader import Config, ConfigFileNotFound, PyFileConfigLoader

from grading.blueprint import normal
from grading.course import Course, Plan
from grading.notebooks import grade_id, is_answer
from grading.score import Scored
from grading.verdict import Result, Verdict

Penalty = Callable[[str, float, float], float | None]
"""Points taken off for lateness, from the student's id, the points and the seconds late: nbgrader's late submission plugin."""


class GradebookError(Exception):
    """The gradebook cannot take this assignment; the message says why and what to do."""


def schema_version() -> str | None:
    """The version of the schema that this nbgrader makes, which `alembic heads` prints."""
    return ScriptDirectory(ALEMBIC_DIR).get_current_head()


def without_programs() -> None:
    """Let nbgrader make a new gradebook without starting `alembic`, which takes seconds and must be found on PATH."""
    api.get_alembic_version = schema_version


@dataclass(frozen=True)
class _Rows:
    """Ids of what the gradebook holds of an assignment: cells that get a grade and cells that get a comment, by grade id."""

    assignment: str
    duedate: datetime | None
    notebook: str
    graded: Mapping[str, str]
    commented: Mapping[str, str]


class GradebookWriter:
    """Writes results. A context manager; the connection is reused, so open one for a whole run.

    `db_url` is what SQLAlchemy takes; a database that does not exist yet is made. `penalty` decides what lateness costs.
    """

    def __init__(self, db_url: str, course_id: str, penalty: Penalty | None = None) -> None:
        without_programs()
        self._url = db_url
        self._gradebook = api.Gradebook(db_url, course_id)
        self.penalty = penalty
        self._rows: dict[str, _Rows] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self._gradebook.close()

    def knows_student(self, student: str) -> bool:
        """Whether the gradebook has a student."""
        with Session(self._gradebook.engine) as session:
            return session.scalar(select(api.Student.id).where(api.Student.id == student)) is not None

    def students(self) -> list[str]:
        """The ids of all students."""
        with Session(self._gradebook.engine) as session:
            return [str(student) for student in session.scalars(select(api.Student.id))]

    def prepare(self, plan: Plan) -> None:
        """Bring an assignment's rows up to date with its source, as generate_assignment does. Raises GradebookError."""
        name = plan.assignment.name
        self._gradebook.update_or_create_assignment(name)
        try:
            save_cells(plan, self._url)
        except Exception as error:  # nbgrader raises RuntimeError, ValueError and jsonschema's errors alike
            advice = "To add or remove graded cells after submissions have been graded, begin a new gradebook."
            raise GradebookError(f"the gradebook cannot take {name}: {error}. {advice}") from error
        with Session(self._gradebook.engine) as session:
            self._rows[name] = _read_rows(session, name)

    def write(self, plan: Plan, scored: Scored, timestamp: datetime | None, late_s: float | None = None) -> None:
        """Write one submission; `timestamp` is when it was handed in, in UTC, as far as that is known. How late that is follows
        from the due date and extensions in the gradebook, unless `late_s` says it. Raises GradebookError."""
        if plan.assignment.name not in self._rows:
            self.prepare(plan)
        rows, result = self._rows[plan.assignment.name], scored.result
        student = result.student.encode("utf-8", "backslashreplace").decode()  # a folder's name need not be text
        with Session(self._gradebook.engine) as session, session.begin():
            submission, extension = _submission(session, rows, student, timestamp)
            notebook = _notebook(session, rows, submission)
            total = _write_grades(session, rows, notebook, result)
            _write_comments(session, rows, notebook, empty_answers(plan, scored))
            late = _seconds_late(rows.duedate, extension, timestamp) if late_s is None else late_s
            taken = self.penalty(student, total, late) if self.penalty and late > 0 else None
            bounded = None if taken is None else min(max(taken, 0.0), total)
            session.execute(update(api.SubmittedNotebook), [{"id": notebook, "late_submission_penalty": bounded}])


def open_gradebook(course: Course, db_url: str | None = None) -> GradebookWriter:
    """The gradebook of nbgrader's commands on this course; for another run root, a file there. Called by `./course score`."""
    config = read_config(course.root)
    declared = config.CourseDirectory.get("db_url") if course.run_root == course.root else None
    url = db_url or declared or f"sqlite:///{course.gradebook}"
    course_id = config.CourseDirectory.get("course_id", "")
    return GradebookWriter(url, course_id, late_penalty(AssignLatePenalties(config=config)))


def read_config(root: Path) -> Config:
    """What nbgrader_config.py says; empty where there is none."""
    try:
        config: Config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    except ConfigFileNotFound:
        return Config()
    return config


def late_penalty(assigner: AssignLatePenalties) -> Penalty:
    """The configured plugin's decision."""
    assigner.init_plugin()
    decide: Penalty = assigner.plugin_inst.late_submission_penalty
    return decide


def save_cells(plan: Plan, db_url: str) -> None:
    """What generate_assignment puts into the gradebook about a notebook, by nbgrader's own preprocessors."""
    resources = {
        "nbgrader": {"assignment": plan.assignment.name, "notebook": plan.assignment.name, "student": ".", "db_url": db_url}
    }
    notebook = with_kernel(copy.deepcopy(plan.blueprint.notebook))
    for preprocessor in (LockCells, ClearSolutions, ClearOutput, CheckCellMetadata, ComputeChecksums, SaveCells):
        notebook, resources = preprocessor().preprocess(notebook, resources)


def with_kernel(notebook: NotebookNode) -> NotebookNode:
    """The notebook, with a kernel named: nbgrader looks its language up to write stubs."""
    notebook.metadata.setdefault("kernelspec", {"language": "python", "name": "python3", "display_name": "Python 3"})
    return notebook


def empty_answers(plan: Plan, scored: Scored) -> set[str]:
    """Grade ids of answer cells in which nothing was written; none of a submission that could not be judged at all."""
    if all(c.verdict is Verdict.UNGRADED for c in scored.result.checks):
        return set()
    answers = {g: cell.source for cell in scored.notebook.cells if is_answer(cell) and (g := grade_id(cell))}
    places = plan.blueprint.by_grade_id
    return {g for g, text in answers.items() if normal(text) in {"", *plan.blueprint.texts[places[g]]}}


def _read_rows(session: Session, name: str) -> _Rows:
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
    return _Rows(assignment, duedate, notebook, cells["GradeCell"] | tasks, cells["SolutionCell"] | tasks)


def _submission(session: Session, rows: _Rows, student: str, timestamp: datetime | None) -> tuple[str, timedelta | None]:
    """The id of a student's submission, made where there is none, and the extension that a person has granted."""
    model = api.SubmittedAssignment
    if session.scalar(select(api.Student.id).where(api.Student.id == student)) is None:
        session.execute(insert(api.Student), [{"id": student}])
    of_student = (model.assignment_id == rows.assignment, model.student_id == student)
    found = session.execute(select(model.id, model.extension).where(*of_student)).first()
    if found is not None:
        session.execute(update(model), [{"id": found.id, "timestamp": timestamp}])
        return found.id, found.extension
    made = api.new_uuid()
    session.execute(
        insert(model), [{"id": made, "assignment_id": rows.assignment, "student_id": student, "timestamp": timestamp}]
    )
    return made, None


def _notebook(session: Session, rows: _Rows, submission: str) -> str:
    model = api.SubmittedNotebook
    of_submission = (model.assignment_id == submission, model.notebook_id == rows.notebook)
    found = session.scalar(select(model.id).where(*of_submission))
    if found is not None:
        return str(found)
    made: str = api.new_uuid()
    session.execute(insert(model), [{"id": made, "assignment_id": submission, "notebook_id": rows.notebook, "flagged": False}])
    return made


def _write_grades(session: Session, rows: _Rows, notebook: str, result: Result) -> float:
    """Write the points of every graded cell; the sum of what counts, a person's scores before the machine's."""
    model = api.Grade
    columns = (model.id, model.cell_id, model.auto_score, model.manual_score, model.extra_credit, model.needs_manual_grade)
    found = {row.cell_id: row for row in session.execute(select(*columns).where(model.notebook_id == notebook))}
    new, changed, total = [], [], 0.0
    for name, cell_id in rows.graded.items():
        points, old = result.cell_points(name), found.get(cell_id)
        manual, extra = (old.manual_score, old.extra_credit) if old else (None, None)
        total += (manual if manual is not None else points or 0.0) + (extra or 0.0)
        values = {"auto_score": points, "needs_manual_grade": _needs_person(points, old)}
        if old is None:
            new.append(values | {"cell_id": cell_id, "notebook_id": notebook})
        else:
            changed.append(values | {"id": old.id})
    _store(session, model, new, changed)
    return total


def _needs_person(points: float | None, old: Any) -> bool:
    """Undecided cells wait for a person; a cell that a person has scored does so again when the machine's points have moved."""
    if old is None or old.manual_score is None:
        return points is None
    return bool(old.needs_manual_grade or old.auto_score != points)


def _write_comments(session: Session, rows: _Rows, notebook: str, empty: set[str]) -> None:
    model = api.Comment
    found = {row.cell_id: row.id for row in session.execute(select(model.id, model.cell_id).where(model.notebook_id == notebook))}
    new, changed = [], []
    for name, cell_id in rows.commented.items():
        values = {"auto_comment": "No response." if name in empty else None}
        if cell_id in found:
            changed.append(values | {"id": found[cell_id]})
        else:
            new.append(values | {"cell_id": cell_id, "notebook_id": notebook})
    _store(session, model, new, changed)


def _store(session: Session, model: Any, new: list[dict[str, Any]], changed: list[dict[str, Any]]) -> None:
    """Insert and update rows in one statement each; values that are not named stay as they are."""
    if new:
        session.execute(insert(model), new)
    if changed:
        session.execute(update(model), changed)


def _seconds_late(duedate: datetime | None, extension: timedelta | None, timestamp: datetime | None) -> float:
    if duedate is None or timestamp is None:
        return 0.0
    return max(0.0, (timestamp - duedate - (extension or timedelta())).total_seconds())
