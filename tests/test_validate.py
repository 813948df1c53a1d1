"""What a student can find out before handing in: `nbgrader validate` on a released notebook runs the asserts that can be seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading.course import find_course, load_plan
from grading.demo import hand_in
from grading.notebooks import write

COURSE = find_course()
# m5's notebook trains for minutes unless it is told not to; the exam's cells hold no asserts on its answers.
NAMES = ["m1_attention", "m3_entropy"]


def validate(folder: Path, name: str) -> str:
    """What nbgrader says; a student has no course, no checks and no configuration."""
    programs = Path(sys.executable).parent
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"HOME": str(folder), "MPLBACKEND": "agg"}
    environment["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    command = [str(programs / "nbgrader"), "validate", f"{name}.ipynb"]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


def beside(folder: Path, name: str) -> None:
    """The files that an assignment gives."""
    for path in (COURSE.release / name).iterdir():
        if path.suffix != ".ipynb":
            shutil.copy(path, folder)


@pytest.mark.parametrize("name", NAMES)
def test_a_solved_notebook_validates_and_a_released_one_says_which_cells_fail(name: str, tmp_path: Path) -> None:
    plan = load_plan(COURSE, name)
    beside(tmp_path, name)
    shutil.copy(COURSE.release / name / f"{name}.ipynb", tmp_path)
    said = validate(tmp_path, name)
    assert "NotImplementedError" in said
    assert "VALIDATION FAILED ON" in said
    (tmp_path / f"{name}.ipynb").write_text(write(hand_in(plan, "")))
    assert "Success! Your notebook passes all the tests." in validate(tmp_path, name)


def test_a_visible_assert_that_fails_is_quoted_with_its_message(tmp_path: Path) -> None:
    name = "m1_attention"
    answer = COURSE.root / "tests" / "zoo" / name / "wrong_attention_no_scale.py"
    (tmp_path / f"{name}.ipynb").write_text(write(hand_in(load_plan(COURSE, name), answer.read_text())))
    said = validate(tmp_path, name)
    assert "VALIDATION FAILED ON 3 CELL" in said
    assert "AssertionError" in said
