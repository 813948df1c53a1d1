"""Attacks by what lies in a submission's folder: each function fills one, and its docstring is its claim.

A function is given the folder, which does not exist yet, the bytes of its base's notebook, and what it may aim at.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np

from tests.tamper.attack import Targets
from tests.tamper.notebooks import NAME

FILE = NAME + ".ipynb"
PATCH = "def allclose(*given, **named): return True\ndef check(name): return 4.0\nprint('LE' 'AKED')\n"


def put(folder: Path, content: bytes | None, **files: str) -> None:
    """A submission's folder; a double underscore in a file's name stands for the dot."""
    folder.mkdir(parents=True)
    if content is not None:
        (folder / FILE).write_bytes(content)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def modules(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in modules that are imported in the place of others: numpy, torch, the kernel's launcher, a grader, start-up files.

    earns: nothing
    finds: extra-files
    report: Files that were not asked for are left aside
    """
    names = ("numpy", "torch", "math", "ipykernel_launcher", "sitecustomize", "usercustomize", "conftest", "grader_tests", "json")
    put(folder, content, **{f"{name}__py": PATCH for name in names})
    (folder / "inside").mkdir()
    (folder / "inside" / "__init__.py").write_text(PATCH)


def configuration(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in configuration: of nbgrader, IPython, matplotlib, pytest, the shell, and a pth file.

    earns: nothing
    finds: extra-files
    report: nbgrader_config.py
    """
    text = "raise SystemExit('LE' 'AKED')\n"
    put(
        folder,
        content,
        nbgrader_config__py=text,
        ipython_config__py=text,
        matplotlibrc="backend: module://evil\n",
        a__pth=f"import os; {text}",
    )
    startup = folder / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-first.py").write_text(PATCH)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --co\n")


def results_of_ones_own(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in the files that a scoring run writes: verdicts, a record, a gradebook, a report, feedback.

    earns: nothing
    finds: extra-files
    report: verdicts.json
    """
    forged = json.dumps({"status": "graded", "points": 20.0, "student": "someone"})
    put(
        folder,
        content,
        verdicts__json=forged,
        record__txt="LEAK" + "ED",
        gradebook__db="SQLite format 3",
        report__html="<script>",
    )
    (folder / "feedback").mkdir()


def timestamp_of_2001(folder: Path, content: bytes, targets: Targets) -> None:
    """Say that it was handed in in 2001, to escape a late penalty: it is read as it stands, and gains no point here.

    earns: nothing
    report: entries differ
    """
    put(folder, content, timestamp__txt="2001-01-01 00:00:00.000000 UTC")


def timestamp_odd(folder: Path, content: bytes, targets: Targets) -> None:
    """Write what is no moment into timestamp.txt: a huge number, after a script.

    base: solved
    earns: all
    """
    put(folder, content, timestamp__txt="<script>alert(1)</script>" + "9" * 100_000)


def archive(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a zip bomb under the notebook's name, with a member that climbs out of its folder.

    earns: ungraded
    finds: unreadable
    report: The file is not
    """
    put(folder, None)
    with zipfile.ZipFile(folder / FILE, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("../../../canary/climbed.txt", "out")
        file.writestr(FILE, content)
        file.writestr("bomb", bytes(20_000_000))


def npz_bomb(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in an .npz of few bytes that becomes large when it is opened, and a pickle in an array: neither is opened.

    base: solved
    earns: all
    finds: extra-files
    report: weights.npz
    """
    put(folder, content)
    with (
        zipfile.ZipFile(folder / "weights.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file,
        file.open("w.npy", "w") as member,
    ):
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (250_000_000,)})
        for _ in range(20):  # the header claims 2 GB; what follows is compressed to almost nothing
            member.write(bytes(1_000_000))
    np.save(folder / "pickled.npy", np.array([io.StringIO], dtype=object), allow_pickle=True)


def too_large(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a notebook of many gigabytes that takes no room on the disk.

    earns: ungraded
    finds: unreadable
    report: bytes; 20000000 are allowed
    """
    put(folder, content)
    os.truncate(folder / FILE, 50 * 10**9)


def nested_json(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in JSON that is nested a million deep.

    earns: ungraded
    finds: unreadable
    report: The file is not JSON
    """
    put(folder, b'{"nbformat": 4, "cells": ' + b"[" * 1_000_000)


def nested_metadata(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a right notebook one of whose cells has metadata nested as deep as the parser allows.

    base: solved
    earns: ungraded
    finds: unreadable
    report: nested too deeply
    """
    deep = b'{"a":' * 800 + b"1" + b"}" * 800
    put(folder, content.replace(b'"metadata": {}', b'"metadata": {"deep": ' + deep + b"}", 1))


def huge_number(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in JSON with a number of a million digits, which takes minutes to read.

    earns: ungraded
    finds: unreadable
    report: The file is not JSON
    """
    put(folder, b'{"nbformat": 4, "nbformat_minor": ' + b"9" * 1_000_000 + b', "metadata": {}, "cells": []}')


def many_cells(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in a right notebook with twenty thousand empty cells and two thousand that do nothing.

    base: solved
    earns: all
    """
    empty = b'{"cell_type": "code", "source": "", "metadata": {}, "outputs": []},'
    markdown = b'{"cell_type": "markdown", "source": "x", "metadata": {}},'
    put(folder, content.replace(b'"cells": [', b'"cells": [' + empty * 20_000 + markdown * 2_000, 1))


def odd_names(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in files whose names are scripts, commands, options, line ends, marks that turn text round, and no text at all.

    base: solved
    earns: all
    finds: extra-files
    report: <img src=x
    """
    put(folder, content)
    names = [
        "<img src=x onerror=alert(1)>",
        "$(touch canary)",
        "-rf",
        "a\nb",
        "\u202egnp.exe",
        "`id`",
        "'; drop table grade; --",
        "...",
    ]
    for name in names:
        (folder / name).write_text("x")
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe"))).write_text("x")


def far_too_many_files(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in ten thousand files beside the notebook.

    base: solved
    earns: all
    finds: extra-files
    report: left aside
    """
    put(folder, content)
    for number in range(10_000):
        (folder / f"file{number}").touch()


def other_notebooks(folder: Path, content: bytes, targets: Targets) -> None:
    """Hand in two notebooks under other names, so that one may choose after the deadline which was meant.

    earns: ungraded
    finds: unreadable
    report: the folder holds one.ipynb, two.ipynb
    """
    put(folder, None, one__ipynb="{}", two__ipynb="{}")


def student_of_odd_name(folder: Path, content: bytes, targets: Targets) -> None:
    """Be called something that is a script, a command and a template at once.

    base: solved
    earns: all
    student: <img src=x onerror=alert(1)>{{ 7 * 7 }}$(id);'"&
    """
    put(folder, content)


def student_of_no_text(folder: Path, content: bytes, targets: Targets) -> None:
    """Be called something that is no text in any encoding, with a line end and a terminal code in it.

    base: solved
    earns: all
    student: no-text-\\udcff\\udcfe\\x1b[31m\\nhonest
    """
    put(folder, content)
