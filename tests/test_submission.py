"""The inbox: whatever a student put into a folder, reading it never fails, never follows a link, and says what was odd."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grading.checks import Assignment
from grading.limits import Limits
from grading.submission import Submission, UnreadableFile, collect, find_submissions, read_plain_file

TINY = Assignment("tiny", {"double": 2}, limits=Limits(notebook_bytes=1000, handed_in_bytes=100), handed_in=("notes.csv",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "submitted" / "ada" / "tiny"
    made.mkdir(parents=True)
    return made


def read(folder: Path) -> Submission:
    return collect("ada", folder, TINY)


def kinds(found: Submission) -> set[str]:
    return {finding.kind for finding in found.findings}


def test_a_notebook_and_its_files_are_read_as_bytes(folder: Path) -> None:
    (folder / "tiny.ipynb").write_bytes(b"\xff anything")
    (folder / "notes.csv").write_bytes(b"a,b")
    found = read(folder)
    assert (found.student, found.assignment, found.content, found.reason) == ("ada", "tiny", b"\xff anything", "")
    assert found.files == {"notes.csv": b"a,b"}
    assert not found.findings


def test_a_file_that_was_asked_for_and_is_missing_is_a_finding(folder: Path) -> None:
    (folder / "tiny.ipynb").write_text("{}")
    found = read(folder)
    assert found.content == b"{}"
    assert kinds(found) == {"handed-in-file"}


def test_other_files_are_left_aside_and_named(folder: Path) -> None:
    for name in ("tiny.ipynb", "copy.ipynb", "numpy.py", "notes.csv", "timestamp.txt"):
        (folder / name).write_text(name)
    found = read(folder)
    assert found.content == b"tiny.ipynb"
    assert list(found.files) == ["notes.csv"]
    assert "numpy.py, copy.ipynb" in found.findings[0].message
    assert "timestamp" not in found.findings[0].message


@pytest.mark.parametrize("name", ["My homework (1).ipynb", "TINY.IPYNB", "tiny.ipynb.ipynb", "ü\udcff.ipynb"])
def test_the_only_notebook_is_read_whatever_it_is_called(folder: Path, name: str) -> None:
    (folder / name).write_text("{}")
    found = read(folder)
    assert found.content == b"{}"
    assert "misnamed" in kinds(found)


@pytest.mark.parametrize(
    ("names", "told"),
    [((), "no notebook at all"), (("a.ipynb", "b.ipynb"), "a.ipynb, b.ipynb"), (("essay.docx",), "no notebook at all")],
)
def test_no_notebook_or_two_of_other_names_are_for_a_person(folder: Path, names: tuple[str, ...], told: str) -> None:
    for name in names:
        (folder / name).write_text("{}")
    found = read(folder)
    assert found.content is None
    assert told in found.reason


def linked(path: Path) -> None:
    (path.parent / "elsewhere").write_text("secret")
    path.symlink_to(path.parent / "elsewhere")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def plug(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # the path of a socket is short
        made.bind(path.name)
        os.chdir(here)


def large(path: Path) -> None:
    path.write_bytes(bytes(1001))


ODD: dict[str, Callable[[Path], None]] = {
    "a link": linked,
    "a link to nowhere": dangling,
    "a folder": Path.mkdir,
    "a pipe": pipe,
    "a socket": plug,
    "too large": large,
}


@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_a_notebook_that_is_no_plain_file_is_for_a_person(folder: Path, make: Callable[[Path], None]) -> None:
    make(folder / "tiny.ipynb")
    found = read(folder)
    assert found.content is None
    assert "tiny.ipynb" in found.reason


@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_a_handed_in_file_that_is_no_plain_file_costs_the_notebook_nothing(folder: Path, make: Callable[[Path], None]) -> None:
    (folder / "tiny.ipynb").write_text("{}")
    make(folder / "notes.csv")
    found = read(folder)
    assert found.content == b"{}"
    assert found.files == {}
    assert "handed-in-file" in kinds(found)


def test_reading_leaves_no_descriptor_open(folder: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number, make in enumerate(ODD.values()):
        path = folder / f"{number}"
        make(path)
        with pytest.raises(UnreadableFile):
            read_plain_file(path, 1000)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_of_exactly_the_limit_is_read(folder: Path) -> None:
    (folder / "file").write_bytes(bytes(1000))
    assert len(read_plain_file(folder / "file", 1000)) == 1000


def test_a_folder_that_is_a_link_or_a_file_or_under_a_link_is_for_a_person(folder: Path, tmp_path: Path) -> None:
    (folder / "tiny.ipynb").write_text("{}")
    (tmp_path / "submitted" / "bob").symlink_to(folder.parent)
    (tmp_path / "submitted" / "eve").mkdir()
    (tmp_path / "submitted" / "eve" / "tiny").symlink_to(folder)
    (tmp_path / "submitted" / "kim").mkdir()
    (tmp_path / "submitted" / "kim" / "tiny").write_text("no folder")
    found = dict(find_submissions(tmp_path / "submitted", "tiny"))
    assert list(found) == ["ada", "bob", "eve", "kim"]
    contents = {student: collect(student, path, TINY).content for student, path in found.items()}
    assert contents == {"ada": b"{}", "bob": None, "eve": None, "kim": None}


def test_students_without_this_assignment_hidden_folders_and_plain_files_are_passed_over(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "submitted" / "other" / "another").mkdir(parents=True)
    (tmp_path / "submitted" / ".cache" / "tiny").mkdir(parents=True)
    (tmp_path / "submitted" / "notes.txt").write_text("")
    assert [student for student, _ in find_submissions(tmp_path / "submitted", "tiny")] == ["ada"]
    assert list(find_submissions(tmp_path / "nowhere", "tiny")) == []


def test_a_folder_that_cannot_be_read_is_for_a_person(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    found = read(folder)
    assert found.content is None
    assert "Permission denied" in found.reason


def test_files_that_an_assignment_does_not_ask_for_are_not_read(folder: Path) -> None:
    (folder / "tiny.ipynb").write_text("{}")
    (folder / "notes.csv").write_text("a")
    found = collect("ada", folder, replace(TINY, handed_in=()))
    assert found.files == {}
    assert kinds(found) == {"extra-files"}
