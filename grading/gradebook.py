"""The one writer of nbgrader's gradebook, through nbgrader's own models. Called by `./course score` and by the nbgrader bridge.

A submission is written in one transaction, whole or not at all. What a person has entered (manual scores, extra credit,
comments, extensions) is read and never written.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

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
from sqlalchemy import select
from sqlalchemy.orm import Session
from traitlets.config.loader import Config, ConfigFileNotFound, PyFileConfigLoader

from grading.course import Course, Plan
from grading.ledger import Cells, Entry, Penalty, read_cells, write_entries
from grading.results import Graded
from grading.times import Arrival


class GradebookError(Exception):
    """The gradebook cannot take this assignment; the message says why and what to do."""


def schema_version() -> str | None:
    """The version of the schema that this nbgrader makes, which `alembic heads` prints."""
    return ScriptDirectory(ALEMBIC_DIR).get_current_head()


def without_programs() -> None:
    """Let nbgrader make a new gradebook without starting `alembic`, which takes seconds and must be found on PATH."""
    api.get_alembic_version = schema_version


class GradebookWriter:
    """Writes results. A context manager; the connection is reused, so open one for a whole run.

    `db_url` is what SQLAlchemy takes; a database that does not exist yet is made. `penalty` decides what lateness costs.
    """

    def __init__(self, db_url: str, course_id: str, penalty: Penalty | None = None) -> None:
        without_programs()
        self._url = db_url
        self._gradebook = api.Gradebook(db_url, course_id)
        self.penalty = penalty
        self._cells: dict[str, Cells] = {}

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
            self._cells[name] = read_cells(session, name)

    def write(self, plan: Plan, submissions: Iterable[tuple[Graded, Arrival]]) -> None:
        """Write submissions of one assignment in one transaction, each with its arrival. Raises GradebookError."""
        if plan.assignment.name not in self._cells:
            self.prepare(plan)
        with Session(self._gradebook.engine) as session, session.begin():
            write_entries(session, self._cells[plan.assignment.name], entries_of(submissions), self.penalty)


def entries_of(submissions: Iterable[tuple[Graded, Arrival]]) -> Iterator[Entry]:
    """What is written of each; the name of a student's folder need not be text."""
    for graded, arrived in submissions:
        student = graded.result.student.encode("utf-8", "backslashreplace").decode()
        yield Entry(student, graded.result, graded.unanswered, arrived.moment, arrived.late_s)


def open_gradebook(course: Course, db_url: str | None = None) -> GradebookWriter:
    """The gradebook of nbgrader's commands on this course; for another run root, a file there. Called by `./course score`."""
    address, course_id = gradebook_address(course)
    config = read_config(course.root)
    return GradebookWriter(db_url or address, course_id, late_penalty(AssignLatePenalties(config=config)))


def gradebook_address(course: Course) -> tuple[str, str]:
    """The database of a course, as SQLAlchemy names it, and the name of the course in it."""
    config = read_config(course.root)
    declared = config.CourseDirectory.get("db_url") if course.run_root == course.root else None
    return declared or f"sqlite:///{course.gradebook}", config.CourseDirectory.get("course_id", "")


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
