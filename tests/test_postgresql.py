"""A gradebook in PostgreSQL, kept by a real server that the test starts, says what one in SQLite says."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from tests.small_course import SmallCourse, fill, make_small_course

pytestmark = pytest.mark.usefixtures("needs_sandbox")
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
NOT_THERE = "there is no PostgreSQL on this machine; to have it: apt-get install postgresql"


def as_its_user(*command: str | Path) -> list[str]:
    """The server refuses to be root's."""
    step_down = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    return [*step_down, *map(str, command)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a running server's socket; nothing listens on a network."""
    if not PROGRAMS:
        pytest.skip(NOT_THERE)
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())  # paths are short
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    programs, data = PROGRAMS[-1], folder / "data"
    run = {"check": True, "capture_output": True, "cwd": "/"}
    subprocess.run(as_its_user(programs / "initdb", "--auth=trust", "--username=grader", "-D", data), **run)
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder}"
    subprocess.run(as_its_user(programs / "pg_ctl", "-w", "-D", data, "-l", folder / "log", "-o", settings, "start"), **run)
    try:
        yield folder
    finally:
        subprocess.run(as_its_user(programs / "pg_ctl", "-m", "fast", "-D", data, "stop"), **run)
        shutil.rmtree(folder)


def grades(url: str) -> list[tuple[str, str, str, float | None, bool]]:
    with Gradebook(url, "attention") as book:
        found = [
            (submission.name, submission.student.id, grade.name, grade.auto_score, grade.needs_manual_grade)
            for name in ("tiny", "other")
            for submission in book.assignment_submissions(name)
            for grade in submission.notebooks[0].grades
        ]
    return sorted(found, key=repr)


def test_a_gradebook_in_postgresql_says_what_one_in_sqlite_says(server: Path, tmp_path: Path) -> None:
    url = f"postgresql+psycopg://grader@/postgres?host={server}"
    course: SmallCourse = make_small_course(tmp_path)
    fill(course, 6)
    course.run("score", "--workers", 0, "--seed", 7)
    expected = grades(f"sqlite:///{course.root}/gradebook.db")
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(f'\nc.CourseDirectory.db_url = "{url}"\n')
    for _ in range(2):  # rows that are made, then rows that are there
        course.run("score", "--workers", 0, "--seed", 7)
        assert grades(url) == expected
    assert len(expected) == 36
