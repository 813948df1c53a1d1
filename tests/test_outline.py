"""`./course new`: an assignment from nothing builds, keeps the house's rules, has a zoo, and is scored."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading.course import Course, CourseError
from grading.outline.layout import lay_out
from tests.tiny_course import REPOSITORY

NAME = "m9_average"
NOT_COPIED = (
    ".git",
    ".venv",
    "demo",
    "submitted",
    "autograded",
    ".course_secret",
    "gradebook.db",
    "__pycache__",
    "zoo",
    "*_cache",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository with its zoo left out, as a newcomer has it before the first assignment of their own."""
    root = tmp_path / "course"
    shutil.copytree(REPOSITORY, root, ignore=shutil.ignore_patterns(*NOT_COPIED))
    (root / "tests" / "zoo").mkdir()
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-P", "-m", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)


def test_an_assignment_from_nothing_builds_is_tested_and_is_scored(copy: Path, needs_sandbox: None) -> None:
    laid = run(copy, "grading", "new", NAME)
    assert laid.returncode == 0, laid.stderr
    built = run(copy, "grading", "build")
    assert f"{NAME}: released and solved" in built.stdout, built.stderr
    assert "raise NotImplementedError()" in (copy / "release" / NAME / f"{NAME}.ipynb").read_text()

    told = run(copy, "grading", "try", NAME, f"tests/zoo/{NAME}/wrong_sum.py").stdout
    assert f"{NAME}: 0/2" in told
    assert "this is the sum of the rows; divide it by their number" in told
    zoo = run(copy, "pytest", "tests/test_zoo.py", "-q", "-p", "no:cacheprovider", "-n", "0", "-k", NAME)
    assert (zoo.returncode, zoo.stdout[:6]) == (0, "..... "), zoo.stdout
    for tool in (
        ["ruff", "check", "--no-cache", "grader_tests", "tests/zoo"],
        ["mypy", "--cache-dir=/dev/null", f"grader_tests/{NAME}.py"],
    ):
        checked = run(copy, *tool)
        assert checked.returncode == 0, checked.stdout

    inbox = copy / "submitted" / "ada" / NAME
    shutil.copytree(copy / "solutions" / NAME, inbox)
    scored = run(copy, "grading", "score", NAME, "--workers", "0")
    assert "2 / 2" in scored.stdout, scored.stdout + scored.stderr


@pytest.mark.parametrize("name", ["M9", "9m", "m9-average", "m9__average", "../m9", "m9_average/", "", "m" * 41])
def test_a_name_that_cannot_be_writes_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(CourseError, match="cannot name an assignment"):
        lay_out(Course(tmp_path, tmp_path), name)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    course = Course(tmp_path, tmp_path)
    theirs = tmp_path / "grader_tests" / f"{NAME}.py"
    theirs.parent.mkdir()
    theirs.write_text("# checks of somebody's\n")
    with pytest.raises(CourseError, match="is there already"):
        lay_out(course, NAME)
    assert theirs.read_text() == "# checks of somebody's\n"
    assert not course.source.exists()
