"""Where things lie in a course, and the secret that hidden inputs are drawn from."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from grading.blueprint import Blueprint
from grading.checks import Assignment, Personal, load_assignment
from grading.variant import PRACTICE, Variant, derive


class CourseError(Exception):
    """The course's own files are not as they must be; the message says which and what to do."""


@dataclass(frozen=True)
class Course:
    """The folders of a course. `root` holds what the instructor writes, `run_root` what students hand in and scoring writes."""

    root: Path
    run_root: Path

    @property
    def source(self) -> Path:
        """The instructor's notebooks."""
        return self.root / "source"

    @property
    def release(self) -> Path:
        """What students get; generated."""
        return self.root / "release"

    @property
    def solutions(self) -> Path:
        """Solved and executed notebooks; generated."""
        return self.root / "solutions"

    @property
    def submitted(self) -> Path:
        """The inbox."""
        return self.run_root / "submitted"

    @property
    def autograded(self) -> Path:
        """What scoring writes."""
        return self.run_root / "autograded"

    @property
    def gradebook(self) -> Path:
        """nbgrader's database."""
        return self.run_root / "gradebook.db"

    def assignments(self) -> tuple[str, ...]:
        """Names of all assignments: the folders of source/ that hold a notebook of their own name."""
        if not self.source.is_dir():
            raise CourseError(f"{self.source} is missing: run this from the root of a course")
        return tuple(sorted(f.name for f in self.source.iterdir() if (f / f"{f.name}.ipynb").is_file()))


@dataclass(frozen=True)
class Plan:
    """What scoring one assignment needs: its declaration with its checks, its source notebook taken apart, its given files.

    Of a personal assignment a plan is one student's: `template` is the notebook before anything was drawn, `mark` the code of the
    student's paper, `sheet` the instructor's key to it.
    """

    assignment: Assignment
    blueprint: Blueprint
    given: Mapping[str, bytes] = field(default_factory=dict)
    template: NotebookNode | None = None
    mark: str = ""
    sheet: str = ""


def find_course(root: Path | None = None) -> Course:
    """The course around this package; `root` puts submitted/, autograded/ and the gradebook elsewhere."""
    home = Path(__file__).resolve().parent.parent
    if root is not None and root.exists() and not root.is_dir():
        raise CourseError(f"{root} is no folder")
    return Course(home, (root or home).resolve())


def load_plan(course: Course, name: str) -> Plan:
    """The plan of one assignment; of a personal one, that of the practice paper. Raises CourseError, NoSuchAssignment."""
    path = course.source / name / f"{name}.ipynb"
    if not path.is_file():
        raise CourseError(f"there is no assignment {name!r}; the course has {', '.join(course.assignments()) or 'none'}")
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat raises whatever its parsers raise
        raise CourseError(f"{path.name} cannot be read as a notebook: {error}") from error
    assignment = load_assignment(name)
    given = read_files(path.parent, assignment.given)
    if assignment.personal is None:
        return Plan(assignment, Blueprint(notebook), given)
    return personal_plan(Plan(assignment, Blueprint(notebook), given, notebook), b"", PRACTICE)


def personal_plan(plan: Plan, secret: bytes, student: str) -> Plan:
    """A student's own plan; the same plan where the assignment is not personal. Raises CourseError."""
    return drawn_plan(plan, variant_of(plan, secret, student))


def variant_of(plan: Plan, secret: bytes, student: str) -> Variant | None:
    """What is drawn for a student; None where the assignment is not personal."""
    return derive(secret, plan.assignment.name, student) if plan.template is not None else None


def drawn_plan(plan: Plan, variant: Variant | None) -> Plan:
    """The plan of a variant's student; the same plan where there is no variant. Raises CourseError."""
    if variant is None or plan.assignment.personal is None or plan.template is None:
        return plan
    drawn = plan.assignment.personal(variant)
    assignment = replace(plan.assignment, checks=drawn.checks)
    blueprint = Blueprint(fill_in(plan.template, drawn))
    return replace(plan, assignment=assignment, blueprint=blueprint, mark=drawn.mark, sheet=drawn.sheet)


def fill_in(template: NotebookNode, drawn: Personal) -> NotebookNode:
    """The template with a student's own texts; their cells' ids carry the paper's code. Raises CourseError."""
    notebook = NotebookNode({**template, "cells": []})
    for cell in template.cells:
        if cell.id not in drawn.texts:
            notebook.cells.append(cell)
        elif (text := drawn.texts[cell.id]) is not None:
            notebook.cells.append(NotebookNode({**cell, "source": text, "id": f"{cell.id}-{drawn.mark}"}))
    if missing := set(drawn.texts) - {cell.id for cell in template.cells}:
        raise CourseError(f"the notebook of a personal assignment has no cell {min(missing)!r} to fill in")
    return notebook


def solved_files(course: Course, assignment: Assignment) -> Mapping[str, bytes]:
    """What a student with the solved notebook would hand in beside it, as far as it has been made."""
    return read_files(course.solutions / assignment.name, assignment.handed_in)


def read_files(folder: Path, names: Iterable[str]) -> dict[str, bytes]:
    """The files of these names that are there; `build` says which of the listed ones are missing."""
    return {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}


def require_secret(course: Course, why: str) -> None:
    """Raise CourseError where the secret has never been made here: papers that were given out cannot be drawn by a new one."""
    if not has_secret(course):
        raise CourseError(f"there is no .course_secret in {course.root}: {why}; bring the one that papers were given out with")


def has_secret(course: Course) -> bool:
    """Whether the secret has been made."""
    return _secret_path(course).exists()


def _secret_path(course: Course) -> Path:
    return course.root / ".course_secret"


def course_secret(course: Course) -> bytes:
    """The secret of the course, made on first use, readable by its owner alone. Raises CourseError."""
    path = _secret_path(course)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_secret(path)
    with open(descriptor, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
    return _read_secret(path)


def _read_secret(path: Path) -> bytes:
    text = path.read_text().strip()
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise CourseError(
            f"{path.name} is damaged; restore it, or delete it to begin with a new secret (hidden inputs will change)"
        )
    return bytes.fromhex(text)


def assignment_seed(secret: bytes, assignment: str) -> int:
    """The seed of an assignment's hidden inputs: 62 bits of HMAC-SHA256 of its name under the secret."""
    digest = hmac.new(secret, f"assignment:{assignment}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") >> 2
