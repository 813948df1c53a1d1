"""The exchange, whole, with nbgrader's own commands: two students fetch, submit, and fetch their feedback; one submits twice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from grading.course import Course
from grading.times import read_collected
from tests.small_course import SmallCourse, make_small_course
from tests.tiny_course import HALF, RIGHT

NBGRADER = Path(sys.executable).parent / "nbgrader"


def nbgrader(folder: Path, exchange: Path, *arguments: str, **environment: str) -> str:
    """One of nbgrader's commands, in a folder; what it says."""
    own = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8", **environment}
    command = [NBGRADER, *arguments, f"--Exchange.root={exchange}"]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@dataclass(frozen=True)
class Seat:
    """A student's own machine, as far as the exchange sees one: a home with its cache, and no file of the course."""

    name: str
    home: Path
    exchange: Path

    def run(self, command: str) -> str:
        """A command of nbgrader's, as this student."""
        return nbgrader(self.home, self.exchange, command, "tiny", "--course", "attention", "--student", self.name)

    def answer(self, answers: Mapping[str, str]) -> None:
        """Write answers into the fetched notebook."""
        path = self.home / "tiny" / "tiny.ipynb"
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        nbformat.write(notebook, path)

    def pages(self) -> list[str]:
        """All feedback that was fetched, the oldest first."""
        return [path.read_text() for path in sorted((self.home / "tiny" / "feedback").glob("*/tiny.html"))]


def instructor(course: SmallCourse, exchange: Path, *arguments: str) -> str:
    return nbgrader(course.root, exchange, *arguments)


def give_back(course: SmallCourse, exchange: Path) -> None:
    """Score what has been collected, and hand feedback out."""
    course.run("score", "tiny", "--workers", "0")
    instructor(course, exchange, "generate_feedback", "tiny", "--force")
    instructor(course, exchange, "release_feedback", "tiny")


@pytest.mark.usefixtures("needs_sandbox")
def test_the_exchange_there_and_back(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    course, exchange = make_small_course(tmp_path / "course"), tmp_path / "exchange"
    instructor(course, exchange, "generate_assignment", "tiny")
    instructor(course, exchange, "release_assignment", "tiny")
    seats = [Seat(name, tmp_path / name, exchange) for name in ("jana", "bob")]
    for seat, answers in zip(seats, (HALF, RIGHT), strict=True):
        seat.home.mkdir()
        seat.run("fetch_assignment")
        fetched = (seat.home / "tiny" / "tiny.ipynb").read_text()
        assert "BEGIN SOLUTION" not in fetched
        assert "grader_tests" not in fetched
        seat.answer(answers)
        seat.run("submit")
    jana, bob = seats
    instructor(course, exchange, "collect", "tiny")
    assert {student for student, _ in read_collected(Course(course.root, course.root))} == {"jana", "bob"}
    give_back(course, exchange)
    for seat, points in ((jana, 2), (bob, 5)):
        seat.run("fetch_feedback")
        (page,) = seat.pages()
        assert page == (course.root / "feedback" / seat.name / "tiny" / "tiny.html").read_text()
        assert f"Score: at least {points} / 7.0" in page
    jana.answer(RIGHT)
    jana.run("submit")
    instructor(course, exchange, "collect", "tiny", "--update")
    give_back(course, exchange)
    jana.run("fetch_feedback")
    assert ["at least 2" in page for page in jana.pages()] == [True, False]
    assert "Score: at least 5 / 7.0" in jana.pages()[1]
