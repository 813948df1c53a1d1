"""Two tiny assignments in a folder that holds all of the course's code, to be scored by commands of their own."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from tests.tiny_course import CHECKS, HALF, REPOSITORY, RIGHT, handed_in, source_notebook, text_of

NAMES = ("other", "tiny")
# Names of the tiny assignment and those of the other: grade ids are unique in a course.
_OTHER = {"tiny": "other", "double": "twofold", "triple": "threefold", "essay": "words"}


def as_other(text: str) -> str:
    """A text of the tiny assignment, as the other's."""
    for ours, theirs in _OTHER.items():
        text = text.replace(ours, theirs)
    return text


@dataclass(frozen=True)
class SmallCourse:
    """The course, and what commands leave in it."""

    root: Path

    def command(self, *arguments: object) -> list[str]:
        """One of the course's commands, as the launcher starts it."""
        return [sys.executable, "-P", "-m", "grading", *map(str, arguments)]

    def environment(self) -> dict[str, str]:
        """What the launcher sets."""
        single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        return {**os.environ, **single, "PYTHONPATH": str(self.root)}

    def start(self, *arguments: object, within: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Start a command in a session of its own; `within` is a command that runs it."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(
            [*within, *self.command(*arguments)],
            cwd=self.root,
            env=self.environment(),
            text=True,
            start_new_session=True,
            **pipes,
        )

    def run(self, *arguments: object, status: int = 0, within: Sequence[str] = ()) -> str:
        """What a command prints; it must end with `status`."""
        with self.start(*arguments, within=within) as process:
            said = process.communicate(timeout=240)[0]
        assert process.returncode == status, said
        return said

    def hand_in(self, student: str, tiny: dict[str, str] | str, other: dict[str, str] | str | None = None) -> None:
        """Put answers, or a file's whole text, into the inbox."""
        for name, given in (("tiny", tiny), ("other", other)):
            if given is None:
                continue
            text = given if isinstance(given, str) else text_of(handed_in(**given))
            folder = self.root / "submitted" / student / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.ipynb").write_text(text if name == "tiny" else as_other(text))

    def verdicts(self) -> dict[str, dict[str, Any]]:
        """Everything that verdicts say, seconds aside, by student and assignment."""
        found = {}
        for path in sorted((self.root / "autograded").glob("*/*/verdicts.json")):
            content = json.loads(path.read_text())
            del content["seconds"]
            found["/".join(path.parts[-3:-1])] = content
        return found

    def notebooks(self) -> dict[str, bytes]:
        """The finished notebooks, by student and file."""
        return {"/".join(p.parts[-3:]): p.read_bytes() for p in (self.root / "autograded").glob("*/*/*.ipynb")}

    def grades(self) -> list[tuple[Any, ...]]:
        """What the gradebook holds of machine and person, in order; ids are drawn anew by each gradebook."""
        with sqlite3.connect(self.root / "gradebook.db") as book:
            return book.execute(_GRADES).fetchall()

    def written(self) -> dict[str, tuple[int, int]]:
        """Which folders of autograded/ are there, told apart from what another run would put in their place."""
        folders = (self.root / "autograded").glob("*/*")
        return {str(f.relative_to(self.root)): (f.stat().st_ino, f.stat().st_mtime_ns) for f in folders if f.is_dir()}


_GRADES = """
    select assignment.name, submitted_assignment.student_id, base_cell.name, grade.auto_score, grade.manual_score,
        grade.needs_manual_grade, submitted_notebook.late_submission_penalty
    from grade join base_cell on base_cell.id = grade.cell_id
        join submitted_notebook on submitted_notebook.id = grade.notebook_id
        join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
        join assignment on assignment.id = submitted_assignment.assignment_id
    order by 1, 2, 3
"""


def make_small_course(root: Path) -> SmallCourse:
    """Everything that an instructor has, and an empty inbox."""
    shutil.copytree(REPOSITORY / "grading", root / "grading", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("nbgrader_config.py", "requirements.lock"):
        shutil.copy(REPOSITORY / name, root)
    checks = root / "grader_tests"
    checks.mkdir()
    (checks / "__init__.py").touch()
    (checks / "tiny.py").write_text(CHECKS)
    (checks / "other.py").write_text(as_other(CHECKS))
    for name in NAMES:
        text = nbformat.writes(source_notebook())
        folder = root / "source" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.ipynb").write_text(text if name == "tiny" else as_other(text))
    (root / "submitted").mkdir()
    return SmallCourse(root)


LOOPS = RIGHT | {"triple_answer": "while True: pass"}
DIES = RIGHT | {"triple_answer": "import os\nos._exit(3)"}
SPEAKS = RIGHT | {
    "double_answer": "import warnings\ndef double(x):\n    warnings.warn('twice')\n    print('two')\n    return 2 * x"
}


def fill(course: SmallCourse, students: int) -> None:
    """An inbox with all kinds of submissions."""
    kinds = (RIGHT, HALF, "no notebook", DIES, SPEAKS, {})
    for number in range(students):
        course.hand_in(f"student-{number:03}", kinds[number % len(kinds)], kinds[(number + 1) % len(kinds)])
