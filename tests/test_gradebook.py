"""The writer of the gradebook: what it writes, what it leaves alone, and that it writes a submission whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import write_alembic_ini

from grading import gradebook, ledger
from grading.blueprint import Blueprint
from grading.checks import Assignment, Check
from grading.course import Plan
from grading.export import read_timestamp
from grading.gradebook import GradebookError, GradebookWriter
from grading.rebuild import rebuild
from grading.results import Finished, Graded
from grading.score import Scored
from grading.times import Arrival
from grading.verdict import CheckResult, Result, Verdict, decide_status, earned, sum_points

MOMENT = datetime(2025, 1, 2, 3, 4, 5)


def cell(name: str, text: str, written: bool = False, **fields: Any) -> nbformat.NotebookNode:
    """A cell with nbgrader's metadata."""
    made = new_markdown_cell(text, id=name) if written else new_code_cell(text, id=name)
    given = {"grade": False, "grade_id": name, "locked": False, "schema_version": 3, "solution": False, "task": False}
    made.metadata["nbgrader"] = given | fields
    return made


def make_plan(*extra: nbformat.NotebookNode) -> Plan:
    """An assignment with two graded cells, an answer and an essay."""
    hidden = "\n### BEGIN HIDDEN TESTS\ncheck('one')\n### END HIDDEN TESTS"
    cells = [
        cell("answer", "### BEGIN SOLUTION\nx = 1\n### END SOLUTION", solution=True),
        cell("one", "assert x" + hidden, grade=True, locked=True, points=1),
        cell("two", "assert x", grade=True, locked=True, points=2),
        cell("essay", "Write.", written=True, grade=True, solution=True, points=4),
    ]
    points = {"one": 1.0, "two": 2.0}
    checks = tuple(Check(name, name, worth, ("x",), name, lambda student, generator: None) for name, worth in points.items())
    return Plan(Assignment("small", points, {"essay": 4}, checks=checks), Blueprint(new_notebook(cells=[*cells, *extra])))


def scored(plan: Plan, student: str = "ada", **verdicts: Verdict) -> Graded:
    """What is written of a submission, with these verdicts of the checks that are named as their cells."""
    checks = []
    for check in plan.assignment.checks:
        verdict = verdicts.get(check.name, Verdict.PASS)
        checks.append(CheckResult(check.name, check.cell, earned(verdict, check.points), check.points, verdict, ""))
    total = sum_points(c.points for c in checks)
    result = Result(student, "small", decide_status(checks), total, 3.0, 4.0, 1, (), tuple(checks), 0.0, "none")
    notebook = rebuild(new_notebook(), plan.blueprint).notebook(plan.blueprint.notebook)
    return Finished.of(plan, Scored(result, notebook), None)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A new gradebook."""
    return f"sqlite:///{tmp_path}/gradebook.db"


@pytest.fixture
def writer(url: str) -> Iterator[GradebookWriter]:
    """A writer of that gradebook."""
    with GradebookWriter(url, "course") as opened:
        yield opened


def grades(url: str, student: str = "ada") -> dict[str, tuple[float | None, bool]]:
    """The machine's points of each cell, and whether a person is waited for."""
    with Gradebook(url, "course") as book:
        found = book.find_submission("small", student).notebooks[0].grades
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in found}


def test_schema_version_is_what_alembic_says(tmp_path: Path) -> None:
    """The program that nbgrader would start says the same."""
    write_alembic_ini(str(tmp_path / "alembic.ini"))
    command = [sys.executable, "-m", "alembic", "-c", str(tmp_path / "alembic.ini"), "heads"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.split() == [gradebook.schema_version(), "(head)"]


def test_points_of_every_graded_cell(writer: GradebookWriter, url: str) -> None:
    """What the machine decided stands as it is; what it did not decide has no points and waits for a person."""
    plan = make_plan()
    writer.write(plan, [(scored(plan, two=Verdict.FAIL), Arrival(MOMENT))])
    assert grades(url) == {"one": (1.0, False), "two": (0.0, False), "essay": (None, True)}
    writer.write(plan, [(scored(plan, two=Verdict.UNGRADED), Arrival(None))])
    assert grades(url) == {"one": (1.0, False), "two": (None, True), "essay": (None, True)}
    with Gradebook(url, "course") as book:
        assert book.find_submission("small", "ada").timestamp is None
        assert book.find_comment("answer", "small", "small", "ada").comment == "No response."


def test_rows_are_those_of_generate_assignment(
    writer: GradebookWriter, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cells are stored as nbgrader stores them, and stay the same rows when both have been at work."""
    plan = make_plan(cell("given", "y = 2", locked=True), cell("job", "Do it.", written=True, task=True, points=3, locked=True))
    writer.write(plan, [(scored(plan), Arrival(None))])
    ours = stored_cells(url)
    folder = tmp_path / "source" / "small"
    folder.mkdir(parents=True)
    nbformat.write(gradebook.with_kernel(plan.blueprint.notebook), folder / "small.ipynb")
    for database in (url, f"sqlite:///{tmp_path}/other.db"):
        directory = CourseDirectory(root=str(tmp_path), db_url=database, course_id="course", assignment_id="small")
        GenerateAssignment(coursedir=directory, force=True).start()
        assert [row[:-1] for row in stored_cells(database)] == [row[:-1] for row in ours]
    assert stored_cells(url) == ours
    writer.prepare(plan)
    assert stored_cells(url) == ours


def stored_cells(url: str) -> list[tuple[Any, ...]]:
    """Everything that a gradebook says about an assignment's cells, the ids last."""
    with Gradebook(url, "course") as book:
        notebook = book.find_notebook("small", "small")
        rows = [("source", c.name, c.cell_type, c.locked, c.source, c.checksum, c.id) for c in notebook.source_cells]
        rows += [(c.type, c.name, getattr(c, "max_score", None), c.id) for c in notebook._base_cells]
        return sorted(rows)


def test_a_name_that_is_no_text_is_stored_all_the_same(writer: GradebookWriter, url: str) -> None:
    """Folders may have any name that the file system takes."""
    plan = make_plan()
    writer.write(plan, [(scored(plan, b"\xff".decode("utf-8", "surrogateescape")), Arrival(None))])
    assert grades(url, r"\udcff")["one"] == (1.0, False)


def test_what_a_person_entered_is_kept(writer: GradebookWriter, url: str) -> None:
    """Scores, extra credit and comments outlive a new run; only where the machine's points moved is the person asked again."""
    plan = make_plan()
    writer.write(plan, [(scored(plan, one=Verdict.FAIL, two=Verdict.UNGRADED), Arrival(None))])
    with Gradebook(url, "course") as book:
        for name in ("one", "two", "essay"):
            grade = book.find_grade(name, "small", "small", "ada")
            grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 0.5, 0.25, False
        book.find_comment("essay", "small", "small", "ada").manual_comment = "Good."
        book.grant_extension("small", "ada", days=2)
        book.db.commit()
    writer.write(plan, [(scored(plan, two=Verdict.UNGRADED), Arrival(None))])
    assert grades(url) == {"one": (1.0, True), "two": (None, False), "essay": (None, False)}
    with Gradebook(url, "course") as book:
        assert book.find_submission("small", "ada").score == 3 * 0.75
        assert book.find_submission("small", "ada").extension == timedelta(days=2)
        assert book.find_comment("essay", "small", "small", "ada").comment == "Good."


def test_a_submission_is_written_whole_or_not_at_all(writer: GradebookWriter, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the last step takes the first steps back."""
    plan = make_plan()
    writer.write(plan, [(scored(plan), Arrival(None))])

    def fail(*arguments: object) -> float:
        raise OSError("the disk is full")

    monkeypatch.setattr(ledger, "seconds_late", fail)
    for student in ("ada", "ben"):
        with pytest.raises(OSError, match="full"):
            writer.write(plan, [(scored(plan, student, one=Verdict.FAIL), Arrival(MOMENT))])
    assert grades(url)["one"] == (1.0, False)
    with Gradebook(url, "course") as book, pytest.raises(MissingEntry):
        book.find_student("ben")


def test_cells_cannot_change_under_graded_submissions(writer: GradebookWriter) -> None:
    """Text and points may change at any time, the set of cells only before the first submission."""
    plan = make_plan(cell("given", "y = 2", locked=True))
    writer.prepare(make_plan())
    writer.prepare(plan)
    writer.write(plan, [(scored(plan), Arrival(None))])
    writer.prepare(make_plan(cell("given", "y = 3", locked=True)))
    with pytest.raises(GradebookError, match="begin a new gradebook"):
        writer.prepare(make_plan())


@pytest.mark.parametrize(("taken", "kept"), [(None, 0.0), (2.0, 2.0), (100.0, 3.0), (-1.0, 0.0)])
def test_lateness(url: str, taken: float | None, kept: float) -> None:
    """The penalty is asked for only of late submissions, and stays between nothing and all points."""
    plan, asked = make_plan(), []

    def penalty(student: str, points: float, seconds: float) -> float | None:
        asked.append((student, points, seconds))
        return taken

    with GradebookWriter(url, "course", penalty) as writer:
        for student in ("punctual", "extended"):
            writer.write(plan, [(scored(plan, student), Arrival(MOMENT))])
        with Gradebook(url, "course") as book:
            book.update_or_create_assignment("small", duedate=MOMENT - timedelta(seconds=90))
            book.grant_extension("small", "extended", minutes=2)
        writer.prepare(plan)
        for student in ("ada", "extended"):
            writer.write(plan, [(scored(plan, student), Arrival(MOMENT))])
        writer.write(plan, [(scored(plan, "unknown"), Arrival(None))])
    assert asked == [("ada", 3.0, 90.0)]
    with Gradebook(url, "course") as book:
        penalties = {s.student.id: s.late_submission_penalty for s in book.assignment_submissions("small")}
    assert penalties == {"ada": kept, "extended": 0.0, "punctual": 0.0, "unknown": 0.0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-01-02 03:04:05.000000 UTC\n", MOMENT),
        ("2025-01-02 03:04:05", MOMENT),
        ("", None),
        ("2025", None),
        ("2025-13-02 03:04:05 UTC", None),
        ("0000-01-02 03:04:05 UTC", None),
        ("9999-12-31 23:59:59 -99", None),
        ("2025-01-02 03:04:05 UTC " + " " * 2000, None),
        ("2025-01-02 03:04:05 ../../passwd", None),
        ("\u0662\u0660\u0662\u0665-01-02 03:04:05 UTC", None),
    ],
)
def test_timestamps(tmp_path: Path, text: str, expected: datetime | None) -> None:
    """Only what nbgrader writes is read; everything else is no timestamp, and no error."""
    assert read_timestamp(tmp_path) is None
    (tmp_path / "timestamp.txt").write_text(text)
    assert read_timestamp(tmp_path) == expected
    assert read_timestamp(tmp_path / "timestamp.txt") is None
