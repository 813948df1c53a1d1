"""A course that is small enough for a test, and a cohort for it: every kind of submission that a run must survive."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook

from grading.notebooks import released

REPOSITORY = Path(__file__).resolve().parent.parent
OUTSIDE = "a line that no one handed in"
CHECKS = '''
"""Checks of a course that is small enough for a test."""

from grading.checks import Assignment, CheckFailed, check


@check("double_doubles", cell="double", points=2, uses=("double",), about="twice the number")
def double_doubles(student, generator):
    if student.double(21) != 42:
        raise CheckFailed("another number", "twice the number")


@check("triple_triples", cell="triple", points=3, uses=("triple",), about="three times the number")
def triple_triples(student, generator):
    if student.triple(14) != 42:
        raise CheckFailed("another number", "three times the number")


ASSIGNMENT = Assignment(
    name="tiny",
    points={"double": 2, "triple": 3},
    manual_points={"essay": 2},
    handed_in=("notes.csv",),
    checks=(double_doubles, triple_triples),
)
'''


def nbgrader_cell(cell: NotebookNode, name: str, **fields: Any) -> NotebookNode:
    """A cell with nbgrader's metadata."""
    given = {"grade": False, "grade_id": name, "locked": False, "schema_version": 3, "solution": False, "task": False}
    cell.metadata["nbgrader"] = given | fields
    cell["id"] = name.replace("_", "-")
    return cell


def answer(name: str, factor: int) -> NotebookNode:
    """An answer cell with its solution."""
    solution = f"### BEGIN SOLUTION\ndef {name}(x):\n    return {factor} * x\n### END SOLUTION"
    return nbgrader_cell(new_code_cell(solution), f"{name}_answer", solution=True)


def graded(name: str, points: int) -> NotebookNode:
    """A graded cell with a visible assert and a hidden check."""
    hidden = f'### BEGIN HIDDEN TESTS\nfrom grader_tests import check\ncheck("{name}")\n### END HIDDEN TESTS'
    cell = new_code_cell(f"assert callable({name})\n{hidden}")
    return nbgrader_cell(cell, name, grade=True, locked=True, points=points)


def source_notebook() -> NotebookNode:
    """The instructor's notebook: two functions for the machine, an essay for a person."""
    essay = nbgrader_cell(new_markdown_cell("Write here."), "essay", grade=True, solution=True, points=2)
    cells = [new_markdown_cell("# Tiny", id="title"), answer("double", 2), graded("double", 2), answer("triple", 3)]
    kernel = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
    return new_notebook(cells=[*cells, graded("triple", 3), essay], metadata=kernel)


def handed_in(**answers: str) -> NotebookNode:
    """The released notebook with a student's answers in it."""
    notebook = released(source_notebook())
    for cell in notebook.cells:
        named = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(named, cell.source)
    return notebook


RIGHT = {"double_answer": "def double(x):\n    return x + x", "triple_answer": "def triple(x):\n    return x + x + x"}
HALF = RIGHT | {"triple_answer": "def triple(x):\n    return x"}


def text_of(notebook: NotebookNode, **changes: Any) -> str:
    """A notebook's text; `changes` go into the nbgrader metadata of every cell that has some."""
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.update(changes)
    return nbformat.writes(notebook)


def put(folder: Path, notebook: NotebookNode | str | None = None, name: str = "tiny.ipynb", **files: str) -> None:
    """A submission's folder; `files` are other files, a double underscore in a name standing for the dot."""
    folder.mkdir(parents=True)
    if notebook is not None:
        (folder / name).write_text(notebook if isinstance(notebook, str) else text_of(notebook))
    for file, content in files.items():
        (folder / file.replace("__", ".")).write_text(content)


def old_format() -> str:
    """A right answer in notebook format 3, where a code cell's text is its input."""
    cells = [{"cell_type": "code", "input": text, "metadata": {}, "outputs": [], "language": "python"} for text in RIGHT.values()]
    sheets = [{"cells": cells, "metadata": {}}]
    return json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": sheets})


def duplicated() -> NotebookNode:
    """A right answer, with a copied cell and its grade id."""
    notebook = handed_in(**RIGHT)
    notebook.cells.insert(2, NotebookNode(notebook.cells[1] | {"id": "copied"}))
    return notebook


def complete(folder: Path) -> None:
    """A right answer with everything that a submission may bring, and markup in the essay."""
    put(folder, handed_in(**RIGHT, essay=MARKUP), timestamp__txt=ON_TIME, notes__csv="a,b", submission_secret__txt="a" * 128)


def linked_files(folder: Path) -> None:
    """A right answer beside a folder, a symlink to a file outside, and a handed-in file that is such a symlink."""
    put(folder, handed_in(**RIGHT), report__pdf="%PDF", numpy__py="raise SystemExit")
    (folder / "deep").mkdir()
    (folder / "deep" / "file.txt").write_text("deep")
    (folder / "extra.txt").symlink_to(folder.parents[2] / "outside.txt")
    (folder / "notes.csv").symlink_to(folder.parents[2] / "outside.txt")


def linked_notebook(folder: Path) -> None:
    """A notebook that is a symlink to another student's."""
    put(folder)
    (folder / "tiny.ipynb").symlink_to(folder.parents[1] / "right" / "tiny" / "tiny.ipynb")


def linked_folder(folder: Path) -> None:
    """A folder that is a symlink to another student's."""
    folder.parent.mkdir(parents=True)
    folder.symlink_to(folder.parents[1] / "right" / "tiny")


def linked_student(folder: Path) -> None:
    """A student who is a symlink to another."""
    folder.parent.symlink_to(folder.parents[1] / "right")


def linked_timestamp(folder: Path) -> None:
    """A timestamp.txt that is a symlink, and a submission's secret that is one."""
    put(folder, handed_in(**RIGHT))
    (folder / "timestamp.txt").symlink_to(folder.parents[2] / "moment.txt")
    (folder / "submission_secret.txt").symlink_to(folder.parents[2] / "outside.txt")


def plain_file(folder: Path) -> None:
    """A file where the folder should be."""
    folder.parent.mkdir(parents=True)
    folder.write_text("no folder")


@dataclass(frozen=True)
class Kind:
    """A kind of submission, and the points of `double` and `triple` that it must get; None where it is ungraded."""

    make: Callable[[Path], None]
    double: float | None = 2.0
    triple: float | None = 3.0


def ungraded(make: Callable[[Path], None]) -> Kind:
    """A kind that only a person can judge."""
    return Kind(make, None, None)


DEADLY = RIGHT | {"triple_answer": "import os\nos._exit(3)"}
ON_TIME = "2025-01-02 03:04:05.000006 UTC"
MARKUP = "<script>alert(1)</script>\n\n**strong** $x^2$\n\n<table><tr><th>head</th></tr></table>"
KINDS: Mapping[str, Kind] = {
    "right": Kind(complete),
    "half": Kind(lambda f: put(f, handed_in(**HALF)), triple=0.0),
    "released": Kind(lambda f: put(f, handed_in()), double=0.0, triple=0.0),
    "dies": Kind(lambda f: put(f, handed_in(**DEADLY)), triple=0.0),
    "misnamed": Kind(lambda f: put(f, handed_in(**RIGHT), "My homework (1).ipynb")),
    "format_3": Kind(lambda f: put(f, old_format())),
    "schema_1": Kind(lambda f: put(f, text_of(handed_in(**RIGHT), schema_version=1))),
    "schema_4": Kind(lambda f: put(f, text_of(handed_in(**RIGHT), schema_version=4))),
    "schema_99": Kind(lambda f: put(f, text_of(handed_in(**RIGHT), schema_version=99, points=1000))),
    "duplicated": Kind(lambda f: put(f, duplicated())),
    "linked_files": Kind(linked_files),
    "linked_timestamp": Kind(linked_timestamp),
    "forged_words": Kind(lambda f: put(f, handed_in(**RIGHT), timestamp__txt="yesterday, I promise")),
    "forged_number": Kind(lambda f: put(f, handed_in(**RIGHT), timestamp__txt="9" * 400)),
    "forged_future": Kind(lambda f: put(f, handed_in(**RIGHT), timestamp__txt="9998-01-01 00:00:00.000000 UTC")),
    "forged_zone": Kind(lambda f: put(f, handed_in(**RIGHT), timestamp__txt="2025-01-02 03:04:05 /etc/passwd")),
    "not_json": ungraded(lambda f: put(f, "this is no JSON", timestamp__txt=ON_TIME)),
    "no_notebook": ungraded(lambda f: put(f, '{"a": 1}')),
    "empty_file": ungraded(lambda f: put(f, "")),
    "empty_folder": ungraded(lambda f: put(f)),
    "missing": ungraded(lambda f: put(f, essay__docx="words")),
    "two_names": ungraded(lambda f: put(f, handed_in(**RIGHT), "a.ipynb", b__ipynb="{}")),
    "plain_file": ungraded(plain_file),
    "linked_notebook": ungraded(linked_notebook),
    "linked_folder": ungraded(linked_folder),
    "linked_student": ungraded(linked_student),
}


@dataclass(frozen=True)
class Place:
    """A course in a temporary folder."""

    root: Path

    def nbgrader(self, *arguments: str, **environment: str) -> str:
        """Run one of nbgrader's commands as an instructor would who has not activated the environment; its log."""
        own = {"PATH": "/usr/bin:/bin", "HOME": str(self.root), "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}
        command = [Path(sys.executable).parent / "nbgrader", *arguments]
        done = subprocess.run(command, cwd=self.root, env=own | environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def gradebook(self) -> Gradebook:
        """The gradebook, as nbgrader opens it."""
        return Gradebook(f"sqlite:///{self.root}/gradebook.db", "attention")

    def scores(self, student: str) -> dict[str, tuple[float | None, bool]]:
        """What the gradebook says of a student's cells: the machine's points, and whether a person is waited for."""
        with self.gradebook() as book:
            grades = book.find_submission("tiny", student).notebooks[0].grades
            return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in grades}

    def verdicts(self, student: str) -> dict[str, Any]:
        """A student's verdicts.json."""
        found: dict[str, Any] = json.loads((self.root / "autograded" / student / "tiny" / "verdicts.json").read_text())
        return found

    def exported(self) -> dict[str, dict[str, str]]:
        """The table that `nbgrader export` writes, by student."""
        self.nbgrader("export", "--to", "table.csv")
        with open(self.root / "table.csv", newline="") as file:
            return {row["student_id"]: row for row in csv.DictReader(file)}


def make_course(root: Path) -> Place:
    """The files that an instructor writes."""
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    (root / "grading").symlink_to(REPOSITORY / "grading")
    (root / "grader_tests").mkdir()
    (root / "grader_tests" / "__init__.py").touch()
    (root / "grader_tests" / "tiny.py").write_text(textwrap.dedent(CHECKS).lstrip())
    (root / "source" / "tiny").mkdir(parents=True)
    (root / "source" / "tiny" / "tiny.ipynb").write_text(nbformat.writes(source_notebook()))
    (root / "outside.txt").write_text(OUTSIDE)
    (root / "moment.txt").write_text(ON_TIME)
    return Place(root)
