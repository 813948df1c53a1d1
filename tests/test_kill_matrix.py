"""The kill matrix: what it says of answers and checks, and that the command shows a real zoo."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from grading.course import find_course
from tests.kill_matrix import Matrix, Row, in_words


def row(name: str, earned: float, *failed: str) -> Row:
    return Row(name, name.startswith("right"), earned, frozenset(failed))


def matrix(*rows: Row) -> Matrix:
    return Matrix("m", ("values", "form", "errors"), rows)


WELL = (row("wrong_a", 0.2, "values", "form"), row("wrong_b", 0.8, "form"), row("wrong_c", 0.8, "errors"), row("right_a", 1.0))


def test_a_zoo_without_fault_tells_what_is_redundant_and_fragile() -> None:
    found = matrix(*WELL)
    assert not found.at_fault
    assert (found.accepted, found.rejected, found.dead) == ([], [], [])
    assert found.redundant == ["values"]
    assert found.fragile == {"wrong_b": "form", "wrong_c": "errors"}


@pytest.mark.parametrize(
    ("rows", "kind", "named"),
    [
        ((*WELL, row("wrong_d", 1.0)), "accepted", ["wrong_d"]),
        ((*WELL, row("right_b", 0.8, "form")), "rejected", ["right_b"]),
        ((*WELL, row("right_b", 1.0, "form")), "rejected", ["right_b"]),
        ((WELL[0], WELL[1], WELL[3]), "dead", ["errors"]),
    ],
    ids=["a wrong answer with full marks", "a right one without", "a right one that fails a check of no points", "a dead check"],
)
def test_a_fault_is_named(rows: tuple[Row, ...], kind: str, named: list[str]) -> None:
    found = matrix(*rows)
    assert found.at_fault
    assert getattr(found, kind) == named
    assert found.as_dict()[kind] == named
    assert named[0] in "\n".join(in_words(found))


def test_the_table_marks_each_failed_check_in_its_column() -> None:
    lines = list(in_words(matrix(*WELL)))
    assert "  wrong_a xx.  20.0 %" in lines
    assert "  right_a ... 100.0 %" in lines


def course_zoo(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = find_course().root
    command = [sys.executable, "-P", "-m", "grading", "zoo", *arguments]
    return subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True)


def test_the_command_judges_a_whole_zoo(needs_sandbox: None) -> None:
    ran = course_zoo("exam_attention", "--json", "--workers", "2")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (found,) = (json.loads(line) for line in ran.stdout.splitlines())
    assert found["accepted"] == found["rejected"] == found["dead"] == []
    assert len(found["rows"]) == len(list((find_course().root / "tests" / "zoo" / "exam_attention").glob("*.py")))
    assert all(set(r["failed"]) <= set(found["checks"]) for r in found["rows"])


def test_an_assignment_that_is_not_there_is_named() -> None:
    ran = course_zoo("m7_positions")
    assert ran.returncode == 2
    assert "there is no assignment m7_positions" in ran.stderr
