"""Attacks by links, and by what is no plain file: as in `folders.py`, each function fills a submission's folder."""

from __future__ import annotations

import os
from pathlib import Path

from tests.tamper.attack import Targets
from tests.tamper.folders import FILE, put
from tests.tamper.notebooks import NAME


def timestamp_linked(folder: Path, content: bytes, targets: Targets) -> None:
    """Let timestamp.txt and the submission's secret be symlinks to a file of the course.

    base: solved
    earns: all
    """
    put(folder, content)
    (folder / "timestamp.txt").symlink_to(Path(targets.COURSE, ".course_secret"))
    (folder / "submission_secret.txt").symlink_to(Path(targets.COURSE, ".course_secret"))


def notebook_linked_to_source(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a symlink to the instructor's own notebook, solutions and all.

    earns: ungraded
    finds: unreadable
    report: is a symbolic link
    """
    put(folder, None)
    (folder / FILE).symlink_to(Path(targets.COURSE, "source", NAME, FILE))


def notebook_linked_to_sibling(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a symlink to an honest student's notebook.

    earns: ungraded
    finds: unreadable
    report: is a symbolic link
    """
    put(folder, None)
    (folder / FILE).symlink_to(Path("..", "..", "0-honest-student", NAME, FILE))


def files_linked_to_passwd(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in symlinks to /etc/passwd, to a canary and to the root beside an honest notebook.

    base: solved
    earns: all
    finds: extra-files
    report: passwd.txt
    """
    put(folder, content)
    (folder / "passwd.txt").symlink_to("/etc/passwd")
    (folder / "canary.csv").symlink_to(Path(targets.CANARY, "canary.txt"))
    (folder / "everything").symlink_to("/")


def folder_linked(folder: Path, content: bytes, targets: Targets) -> None:
    """Let the folder be a symlink to the instructor's source folder.

    earns: ungraded
    finds: unreadable
    report: a symbolic link or a plain file
    """
    folder.parent.mkdir(parents=True)
    folder.symlink_to(Path(targets.COURSE, "source", NAME))


def student_linked(folder: Path, content: bytes, targets: Targets) -> None:
    """Be a symlink to an honest student.

    earns: ungraded
    finds: unreadable
    report: a symbolic link or a plain file
    """
    folder.parent.symlink_to("0-honest-student")


def hard_linked(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a hard link to a canary: it is read as any file, and never written to.

    earns: ungraded
    finds: unreadable
    report: The file is not JSON
    """
    put(folder, None)
    os.link(Path(targets.CANARY, "canary.txt"), folder / FILE)


def pipe(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a named pipe, which blocks whoever opens it.

    earns: ungraded
    finds: unreadable
    report: is no regular file
    """
    put(folder, None)
    os.mkfifo(folder / FILE)


def folder_for_a_notebook(folder: Path, content: bytes, targets: Targets) -> None:
    """Let the notebook be a folder, with a notebook in it.

    earns: ungraded
    finds: unreadable
    report: is no regular file
    """
    (folder / FILE).mkdir(parents=True)
    (folder / FILE / FILE).write_bytes(content)
