"""Bad input, and what it gets: the points that the rest of the notebook earns, words that name the cell, and never a silent 0."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grading.course import Plan
from grading.runners import SandboxRunner
from grading.score import score
from grading.submission import collect
from grading.verdict import Result
from tests.conftest import HandIn, Judge, earned, full

NAME = "m1_attention"
FILE = NAME + ".ipynb"


def assert_ungraded(plan: Plan, result: Result, said: str) -> None:
    """Nobody loses a point: the status says that a person must look, every cell's points are unknown, and the reason is told."""
    assert result.status == "ungraded"
    assert set(earned(plan, result).values()) == {None}
    assert {check.verdict.value for check in result.checks} == {"UNGRADED"}
    assert all(said in check.message for check in result.checks), result.checks[0].message
    assert any(said in finding.message for finding in result.findings)


# What may lie in the place of a submission


def nothing(folder: Path, content: bytes) -> None:
    folder.mkdir(parents=True)


def two_wrong_names(folder: Path, content: bytes) -> None:
    nothing(folder, content)
    (folder / "homework.ipynb").write_bytes(content)
    (folder / "homework (1).ipynb").write_bytes(content)


def a_folder(folder: Path, content: bytes) -> None:
    (folder / FILE).mkdir(parents=True)


def a_link_to_a_notebook(folder: Path, content: bytes) -> None:
    nothing(folder, content)
    (folder.parent / "elsewhere.ipynb").write_bytes(content)
    (folder / FILE).symlink_to(folder.parent / "elsewhere.ipynb")


def a_link_to_a_folder(folder: Path, content: bytes) -> None:
    elsewhere = folder.parent / "elsewhere"
    nothing(elsewhere, content)
    (elsewhere / FILE).write_bytes(content)
    folder.symlink_to(elsewhere)


def a_link_to_a_student(folder: Path, content: bytes) -> None:
    other = folder.parent.parent / "other"
    nothing(other / NAME, content)
    (other / NAME / FILE).write_bytes(content)
    folder.parent.symlink_to(other)


def a_pipe(folder: Path, content: bytes) -> None:
    nothing(folder, content)
    os.mkfifo(folder / FILE)


def a_file_for_a_folder(folder: Path, content: bytes) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_bytes(content)


def a_large_file(folder: Path, content: bytes) -> None:
    nothing(folder, content)
    (folder / FILE).write_bytes(content + b" " * 300_000)


def a_file_without_permission(folder: Path, content: bytes) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file; a folder in the notebook's place is tried as root too")
    nothing(folder, content)
    (folder / FILE).write_bytes(content)
    (folder / FILE).chmod(0)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (nothing, f"{FILE} is missing; the folder holds no notebook at all"),
        (two_wrong_names, f"{FILE} is missing; the folder holds homework (1).ipynb, homework.ipynb"),
        (a_folder, f"{FILE} is no regular file"),
        (a_link_to_a_notebook, f"{FILE} is a symbolic link"),
        (a_link_to_a_folder, "The submission is no folder (a symbolic link or a plain file)"),
        (a_link_to_a_student, "The submission is no folder (a symbolic link or a plain file)"),
        (a_pipe, f"{FILE} is no regular file"),
        (a_file_for_a_folder, "The submission is no folder (a symbolic link or a plain file)"),
        (a_large_file, "bytes; 200000 are allowed"),
        (a_file_without_permission, f"{FILE}: Permission denied"),
    ],
)
def test_what_cannot_be_read_is_ungraded_with_the_reason(
    plan: Plan, sandbox: SandboxRunner, handed_in: HandIn, tmp_path: Path, make: Callable[[Path, bytes], None], said: str
) -> None:
    make(tmp_path / "student" / NAME, handed_in())
    assignment = replace(plan.assignment, limits=replace(plan.assignment.limits, notebook_bytes=200_000))
    submission = collect("student", tmp_path / "student" / NAME, assignment)
    assert submission.content is None
    assert_ungraded(plan, score(submission, plan, sandbox, 1).result, said)


def test_a_wrongly_named_notebook_is_scored_when_it_is_the_only_one(
    plan: Plan, judge: Judge, handed_in: HandIn, tmp_path: Path
) -> None:
    (tmp_path / "My Homework.IPYNB").write_bytes(handed_in())
    (tmp_path / "numpy.py").write_text("raise SystemExit")
    submission = collect("student", tmp_path, plan.assignment)
    result = judge(submission)
    assert (result.status, earned(plan, result)) == ("graded", full(plan))
    told = {finding.kind: finding.message for finding in result.findings}
    assert told["misnamed"] == f"The notebook is called My Homework.IPYNB, not {FILE}; it was scored all the same."
    assert "numpy.py" in told["extra-files"]


NO_NOTEBOOKS = {
    "empty": (b"", "The file is empty."),
    "blank": (b" \n\n", "The file is empty."),
    "a script": (b"def attention(Q, K, V, d_k):\n    return V, Q\n", "The file is not JSON"),
    "a list": (b"[1, 2]", "The file is JSON but no notebook."),
    "a number": (b"7", "The file is JSON but no notebook."),
    "an object": (b'{"name": "Ada"}', "The file is JSON but no notebook: it has no list of cells."),
    "no version": (b'{"cells": []}', "The file is JSON but no notebook"),
    "a true version": (b'{"cells": [], "nbformat": true}', "The file is JSON but no notebook"),
    "nested without end": (b"[" * 100_000, "The file is not JSON"),
    "not UTF-8": ('{"cells": [], "nbformat": 4, "von": "Jürgen"}'.encode("latin-1"), "The file is not text in UTF-8"),
    "UTF-16 without a mark": ('{"cells": [], "nbformat": 4, "von": "Jürgen"}'.encode("utf-16-le"), "The file is not"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "The file is not text in UTF-8"),
    "an archive": (b"PK\x03\x04" + bytes(100), "The file is not JSON"),
    "nothing but zeros": (bytes(1000), "The file is not JSON"),
}


@pytest.mark.parametrize(("content", "said"), NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_a_file_that_is_no_notebook_is_ungraded_with_the_reason(plan: Plan, judge: Judge, content: bytes, said: str) -> None:
    assert_ungraded(plan, judge(content), said)


def test_a_notebook_that_was_cut_off_is_ungraded(plan: Plan, judge: Judge, handed_in: HandIn) -> None:
    content = handed_in()
    assert_ungraded(plan, judge(content[: len(content) // 2]), "was it exported as a script or cut off?")


def as_format_3(content: bytes) -> bytes:
    cells = json.loads(content)["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
    return json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()


ODD_FILES: Mapping[str, tuple[Callable[[bytes], bytes], set[str]]] = {
    "UTF-8 with a mark": (lambda content: b"\xef\xbb\xbf" + content, {"byte-order-mark"}),
    "UTF-16": (lambda content: content.decode().encode("utf-16"), {"byte-order-mark"}),
    "Windows line ends": (lambda content: content.replace(b"\n", b"\r\n"), set()),
    "Windows line ends in cells": (lambda content: content.replace(b"\\n", b"\\r\\n"), {"line-ends"}),
    "format 3": (as_format_3, {"old-format"}),
    "format 99": (lambda content: content.replace(b'"nbformat": 4', b'"nbformat": 99'), {"old-format"}),
    "a broken cell": (
        lambda content: content.replace(b'"cells": [', b'"cells": [7, {"cell_type": "code", "source": 8},'),
        {"broken-cell"},
    ),
    "one line": (lambda content: json.dumps(json.loads(content)).encode(), set()),
}


@pytest.mark.parametrize(("change", "kinds"), ODD_FILES.values(), ids=ODD_FILES)
def test_a_notebook_in_an_odd_form_earns_all_its_points(
    plan: Plan, judge: Judge, handed_in: HandIn, change: Callable[[bytes], bytes], kinds: set[str]
) -> None:
    result = judge(change(handed_in()))
    assert (result.status, earned(plan, result)) == ("graded", full(plan))
    assert {finding.kind for finding in result.findings} == kinds
