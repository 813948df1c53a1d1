"""What a result depends on, and what is kept of it."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grading import results
from grading.course import Plan, find_course, load_plan
from grading.results import Basis, Edition, Finished, Graded, read_edition, read_graded
from grading.runners import LocalRunner
from grading.score import score, ungraded
from grading.submission import Submission
from grading.verdict import Finding

BASIS = Basis("a", "b", "c", 7)
SUBMISSION = Submission("ada", "m1_attention", b"{}", files={"notes.csv": b"1"})
EDITION = Edition("b", "c")


@pytest.fixture(scope="module")
def finished(plan: Plan) -> Finished:
    """A submission that has been scored."""
    return Finished.of(plan, score(Submission("ada", "m1_attention", b'{"cells": []}'), plan, LocalRunner(), 7), BASIS)


def put(folder: Path, content: bytes) -> Path:
    (folder / "verdicts.json").write_bytes(content)
    return folder


def test_what_is_written_is_read_again(finished: Finished, tmp_path: Path) -> None:
    assert read_graded(put(tmp_path, finished.as_json())) == Graded(finished.result, finished.unanswered, BASIS)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"basis": 1}', '{"basis": {"seed": 7}}', "null", "\ud800"])
def test_verdicts_that_are_none_stand_for_nothing(tmp_path: Path, content: str) -> None:
    assert read_graded(put(tmp_path, content.encode("utf-8", "surrogatepass"))) is None
    assert read_graded(tmp_path / "nowhere") is None


@pytest.mark.parametrize("change", [{"verdict": "GOOD"}, {"unknown": 1}])
def test_verdicts_of_another_form_stand_for_nothing(finished: Finished, tmp_path: Path, change: dict[str, Any]) -> None:
    content = json.loads(finished.as_json())
    content["checks"][0] |= change
    assert read_graded(put(tmp_path, json.dumps(content).encode())) is None


@pytest.mark.parametrize(
    "other",
    [
        replace(SUBMISSION, content=b"{} "),
        replace(SUBMISSION, content=None),
        replace(SUBMISSION, reason="no notebook"),
        replace(SUBMISSION, files={"notes.csv": b"2"}),
        replace(SUBMISSION, files={"notes.cs": b"v1"}),
        replace(SUBMISSION, files={}),
        replace(SUBMISSION, findings=(Finding("misnamed", None, "another name"),)),
    ],
)
def test_another_submission_is_another_basis(other: Submission) -> None:
    before, after = EDITION.basis(SUBMISSION, 7), EDITION.basis(other, 7)
    assert before == EDITION.basis(SUBMISSION, 7)
    assert after.changes_since(before) == ["something else was handed in"]


def test_every_part_of_a_basis_has_a_word() -> None:
    for part in ("submission", "assignment", "machine"):
        assert len(replace(BASIS, **{part: "new"}).changes_since(BASIS)) == 1
    assert replace(BASIS, seed=8).changes_since(BASIS) == ["the hidden inputs are others"]
    assert BASIS.changes_since(BASIS) == []
    assert len(BASIS.changes_since(None)) == 1


@pytest.mark.parametrize("kind", ["grader-fault", "starved", "worker-died"])
def test_a_fault_of_a_run_does_not_stand_for_the_next(plan: Plan, kind: str) -> None:
    scored = ungraded(SUBMISSION, plan, "", 7, kind, "")
    assert not Finished.of(plan, scored, BASIS).may_stand
    assert Finished.of(plan, ungraded(SUBMISSION, plan, "", 7, "unreadable", ""), BASIS).may_stand


def test_assignments_differ_and_share_their_machine() -> None:
    course = find_course()
    editions = [read_edition(course, load_plan(course, name)) for name in course.assignments()]
    assert len({edition.assignment for edition in editions}) == len(editions)
    assert len({edition.machine for edition in editions}) == 1


def test_the_machine_is_all_that_scoring_imports() -> None:
    """Every module of grading that the scorer's modules name is among the files whose hash is taken."""
    course = find_course()
    graph = results.grimp.build_graph("grading", "grader_tests", cache_dir=None)
    reached = set().union(*(results.modules_behind(graph, f"grading.{name}") for name in results._SCORING))
    files = results.files_of(course.root, graph, reached, "grading")
    named = {
        node.module
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("grading.")
    }
    assert {course.root.joinpath(*name.split(".")) for name in named} <= {
        file.parent if file.name == "__init__.py" else file.with_suffix("") for file in files
    }
