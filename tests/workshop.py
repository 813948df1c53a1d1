"""A course in a temporary folder that can be built: its checks are told rather than imported, its cells run in no time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

import grading.build as machine
from grading.blueprint import Blueprint
from grading.build import BuildError, build
from grading.checks import Assignment, Check, CheckFailed, NoSuchAssignment
from grading.course import Course, Plan
from grading.notebooks import grade_id, write
from tests.tiny_course import source_notebook

POINTS = {"double": 2, "triple": 3}
# The grader's side of a tiny course: asks the notebook's own function, as the hidden line of the real one does.
TINY_GRADER = """
import sys
def check(cell):
    function = sys._getframe(1).f_globals[cell]
    return {"double": 2.0, "triple": 3.0}[cell] if function(7) == {"double": 14, "triple": 21}[cell] else 0.0
"""


def question(student: object, generator: object) -> None:
    raise CheckFailed("", "")


def made_check(cell: str, points: float) -> Check:
    return Check(f"{cell}_check", cell, points, (cell,), cell, question)


TINY = Assignment("tiny", POINTS, {"essay": 2}, given=("data.csv",), checks=(made_check("double", 2), made_check("triple", 3)))


@dataclass
class Workshop:
    """A course in a temporary folder whose checks are told rather than imported."""

    course: Course
    assignments: dict[str, Assignment] = field(default_factory=dict)
    executed: list[str] = field(default_factory=list)

    def put(self, assignment: Assignment, notebook: NotebookNode) -> None:
        folder = self.course.source / assignment.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{assignment.name}.ipynb").write_text(write(notebook))
        for name in assignment.given:
            (folder / name).write_text("a,b\n")
        self.assignments[assignment.name] = assignment

    def load_plan(self, course: Course, name: str) -> Plan:
        if name not in self.assignments:
            raise NoSuchAssignment(f"there are no checks for {name}")
        return Plan(self.assignments[name], Blueprint(nbformat.read(course.source / name / f"{name}.ipynb", as_version=4)))

    def files(self) -> dict[str, bytes]:
        """Everything that has been generated, with the moment it was written."""
        folders = [p for top in (self.course.release, self.course.solutions) for p in top.rglob("*")]
        return {f"{p.relative_to(self.course.root)} {p.stat().st_mtime_ns}": p.read_bytes() for p in folders if p.is_file()}

    def faults(self) -> list[str]:
        with pytest.raises(BuildError) as caught:
            build(self.course)
        assert self.files() == {}, "something was written"
        return caught.value.faults


def make_workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """A course with one assignment that is without fault."""
    (tmp_path / "grader_tests").mkdir()
    (tmp_path / "grader_tests" / "__init__.py").write_text(TINY_GRADER)
    (tmp_path / "requirements.lock").write_text("torch==2.13.0\n")
    made = Workshop(Course(tmp_path, tmp_path))
    made.put(TINY, source_notebook())
    run = machine.execute

    def execute(plan: Plan, given: dict[str, bytes], root: Path) -> NotebookNode:
        made.executed.append(plan.assignment.name)
        return run(plan, given, root)

    monkeypatch.setattr(machine, "load_plan", made.load_plan)
    monkeypatch.setattr(machine, "execute", execute)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return made


def find(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if name in (grade_id(cell), cell.id))
