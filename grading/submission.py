"""The inbox: what a student handed in, read once, as bytes, following no symlink."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grading.checks import Assignment
from grading.verdict import Finding


@dataclass(frozen=True)
class Submission:
    """One student's folder for one assignment.

    `content` is the notebook's bytes, or None where there is none that may be read; `reason` then says why, to a person. `files`
    are the other files that the assignment asks for.
    """

    student: str
    assignment: str
    content: bytes | None
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


class UnreadableFile(Exception):
    """A file that is not read: a symlink, no regular file, too large, or without permission."""


def read_plain_file(path: Path, limit_bytes: int) -> bytes:
    """The content of a regular file. Raises UnreadableFile; a symlink is never followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableFile(
            f"{path.name} is a symbolic link" if path.is_symlink() else f"{path.name}: {error.strerror}"
        ) from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)  # Python's open would refuse a folder with an error of its own
        raise UnreadableFile(f"{path.name} is no regular file")
    with open(descriptor, "rb") as file:
        if status.st_size > limit_bytes:
            raise UnreadableFile(f"{path.name} has {status.st_size} bytes; {limit_bytes} are allowed")
        return file.read(limit_bytes)


def find_submissions(submitted: Path, assignment: str) -> Iterator[tuple[str, Path]]:
    """Students, in the order of their names, and their folders for an assignment, whatever is in them."""
    if not submitted.is_dir():
        return
    for student in sorted(entry.name for entry in submitted.iterdir()):
        folder = submitted / student / assignment
        if not student.startswith(".") and (folder.is_dir() or folder.is_symlink() or folder.exists()):
            yield student, folder


def overlooked(submitted: Path, assignments: Collection[str]) -> Iterator[str]:
    """What lies in the inbox and is no submission of a known assignment: misspelt folders, loose files, hidden names."""
    if not submitted.is_dir():
        return
    for entry in sorted(submitted.iterdir()):
        if entry.name == ".gitkeep":
            continue
        if entry.name.startswith(".") or not entry.is_dir():
            yield entry.name
            continue
        inside = sorted(child.name for child in entry.iterdir())
        yield from (f"{entry.name}/{name}" for name in inside if name not in assignments)
        if not inside:
            yield entry.name


def collect(student: str, folder: Path, assignment: Assignment) -> Submission:
    """Read a student's folder. Never raises for what a student may have put there."""
    try:
        return _collect(student, folder, assignment)
    except OSError as error:
        return Submission(student, assignment.name, None, f"The folder cannot be read: {error.strerror}.")


def _collect(student: str, folder: Path, assignment: Assignment) -> Submission:
    if folder.is_symlink() or folder.parent.is_symlink() or not folder.is_dir():
        return Submission(student, assignment.name, None, "The submission is no folder (a symbolic link or a plain file).")
    entries = sorted(folder.iterdir())
    notebooks = [e for e in entries if e.suffix.lower() == ".ipynb"]
    expected = folder / f"{assignment.name}.ipynb"
    findings = list(_extra_files(entries, assignment, expected))
    chosen = expected
    if expected not in entries and len(notebooks) == 1:
        chosen = notebooks[0]
        findings.append(
            Finding("misnamed", None, f"The notebook is called {chosen.name}, not {expected.name}; it was scored all the same.")
        )
    elif expected not in entries:
        names = ", ".join(n.name for n in notebooks) or "no notebook at all"
        return Submission(
            student, assignment.name, None, f"{expected.name} is missing; the folder holds {names}.", tuple(findings)
        )
    try:
        content = read_plain_file(chosen, assignment.limits.notebook_bytes)
    except UnreadableFile as error:
        return Submission(student, assignment.name, None, f"The notebook cannot be read: {error}.", tuple(findings))
    files = _handed_in(folder, assignment, findings)
    return Submission(student, assignment.name, content, "", tuple(findings), files)


def _extra_files(entries: list[Path], assignment: Assignment, expected: Path) -> Iterator[Finding]:
    known = {expected.name, "timestamp.txt", "submission_secret.txt", ".ipynb_checkpoints", *assignment.handed_in}
    extra = [e.name for e in entries if e.name not in known and e.suffix.lower() != ".ipynb"]
    spare = [e.name for e in entries if e.suffix.lower() == ".ipynb" and e != expected] if expected in entries else []
    if extra or spare:
        shown = ", ".join((extra + spare)[:10])
        yield Finding("extra-files", None, f"Files that were not asked for are left aside: {shown}.")


def _handed_in(folder: Path, assignment: Assignment, findings: list[Finding]) -> dict[str, bytes]:
    files = {}
    for name in assignment.handed_in:
        try:
            files[name] = read_plain_file(folder / name, assignment.limits.handed_in_bytes)
        except UnreadableFile as error:
            findings.append(Finding("handed-in-file", None, f"{error}."))
    return files
