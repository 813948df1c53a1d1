"""What a new user meets on a machine that is not as it should be: one or two sentences, nothing lost, no traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import typer

from grading.complaints import plain_errors
from tests.small_course import SmallCourse, make_small_course
from tests.tiny_course import HALF, REPOSITORY, RIGHT

AS_ROOT = "a disk that is full or may only be read is mounted, which root alone may do: sudo ./course test"


@pytest.fixture
def course(tmp_path: Path, needs_sandbox: None) -> SmallCourse:
    place = make_small_course(tmp_path)
    place.hand_in("ada", RIGHT)
    place.hand_in("bo", HALF)
    return place


def mounted(command: str) -> Sequence[str]:
    """A command that runs another where something is mounted, for it alone."""
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip(AS_ROOT)
    return ("unshare", "-m", "sh", "-c", f'{command} && exec "$@"', "sh")


def one_sentence(said: str) -> str:
    """What is said of an error, which is no traceback."""
    assert "Traceback" not in said
    (line,) = (line for line in said.splitlines() if line.startswith("course: "))
    return line


def test_a_full_disk_is_told_and_the_next_run_goes_on(course: SmallCourse) -> None:
    place = course.root / "autograded"
    place.mkdir()
    full = mounted(f"mount -t tmpfs -o size=16k none {place}")
    assert "No space left on device" in one_sentence(course.run("score", "tiny", "--workers", 0, status=2, within=full))
    course.run("score", "tiny", "--workers", 0)
    assert {student: found["points"] for student, found in course.verdicts().items()} == {"ada/tiny": 5.0, "bo/tiny": 2.0}


def test_a_gradebook_that_may_only_be_read_is_told_and_keeps_its_grades(course: SmallCourse) -> None:
    course.run("score", "tiny", "--workers", 0)
    before, book = course.grades(), course.root / "gradebook.db"
    course.hand_in("bo", RIGHT)
    read_only = mounted(f"mount --bind {book} {book} && mount -o remount,bind,ro {book}")
    told = one_sentence(course.run("score", "tiny", "--workers", 0, status=2, within=read_only))
    assert "the gradebook cannot be used: attempt to write a readonly database" in told
    assert course.grades() == before
    course.run("score", "tiny", "--workers", 0)
    assert {student: found["points"] for student, found in course.verdicts().items()} == {"ada/tiny": 5.0, "bo/tiny": 5.0}


def test_a_folder_that_may_only_be_read_and_one_that_is_not_there_are_named(course: SmallCourse) -> None:
    read_only = mounted(f"mount --bind {course.root} {course.root} && mount -o remount,bind,ro {course.root}")
    told = one_sentence(course.run("score", "tiny", "--workers", 0, status=2, within=read_only))
    assert str(course.root) in told
    assert "Read-only file system" in told
    assert "there is no folder" in one_sentence(course.run("score", "tiny", "--root", "/nowhere/at/all", status=2))


@pytest.mark.parametrize("error", [OSError("in <TLS>: stream closed"), ConnectionResetError(), TimeoutError("gone")])
def test_an_error_without_a_file_says_what_it_is(error: OSError, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), plain_errors():
        raise error
    told = one_sentence(capsys.readouterr().err)
    assert "None" not in told
    assert (str(error) or type(error).__name__) in told


def test_debug_adds_the_traceback(course: SmallCourse) -> None:
    told = course.run("--debug", "score", "tiny", "--root", "/nowhere/at/all", status=2)
    assert "Traceback" in told
    assert "course: there is no folder" in told


def test_a_package_that_is_not_there_is_named(course: SmallCourse) -> None:
    (course.root / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    assert "the package torch is not there" in one_sentence(course.run("score", "tiny", status=2))


def launcher(folder: Path, **programs: str) -> subprocess.CompletedProcess[str]:
    """The launcher of a course without an environment, with these programs and the few that it needs."""
    path = folder / "programs"
    path.mkdir()
    for name in ("sh", "readlink", "dirname", "cmp", "cp", "mkdir", "chmod", "cat"):
        (path / name).symlink_to(str(shutil.which(name)))
    for name, text in programs.items():
        (path / name.replace("_", ".")).write_text(f"#!/bin/sh\n{text}\n")
        (path / name.replace("_", ".")).chmod(0o755)
    for name in ("course", "requirements.lock"):
        shutil.copy(REPOSITORY / name, folder)
    return subprocess.run([folder / "course", "demo"], env={"PATH": str(path)}, capture_output=True, text=True, timeout=60)


def test_an_old_python_is_told(tmp_path: Path) -> None:
    ran = launcher(tmp_path, python3="exit 1")
    assert ran.returncode == 1
    assert "Python 3.11 is needed and was not found" in one_sentence(ran.stderr)


def test_a_python_without_venv_is_told(tmp_path: Path) -> None:
    ran = launcher(tmp_path, python3_11='[ "$1" = -c ] || exit 1')
    assert "apt-get install python3-venv" in ran.stderr.splitlines()[-1]


def test_packages_that_cannot_be_installed_are_told_and_tried_again(tmp_path: Path) -> None:
    broken = "#!/bin/sh\\necho no network >&2; exit 1\\n"
    made = f'[ "$1" = -c ] || {{ mkdir -p "$3/bin"; printf "{broken}" > "$3/bin/python"; chmod +x "$3/bin/python"; }}'
    ran = launcher(tmp_path, python3_11=made)
    assert ran.returncode == 1
    assert "no network" in ran.stderr
    assert "pip could not install requirements.lock" in ran.stderr.splitlines()[-1]
    assert not (tmp_path / ".venv" / "requirements.lock").exists(), "the next start tries again"
