"""`downloaded/<assignment>/collected.json`: what became of every file of an LMS's download, and under which name it came."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from grading.course import CourseError
from grading.files import replace_file
from grading.lms.attempts import Decision

LISTING = "collected.json"


def write_listing(folder: Path, decisions: Iterable[Decision]) -> None:
    """Write the listing of one assignment; not as CSV, for students name these files and spreadsheets run formulas."""
    content = {"files": [asdict(decision) for decision in decisions]}
    replace_file(folder / LISTING, json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace"))


def read_listing(folder: Path) -> list[Decision]:
    """The listing of one assignment; nothing where there is none. Raises CourseError."""
    path = folder / LISTING
    if not path.is_file():
        return []
    try:
        return [Decision(**item) for item in json.loads(path.read_text(encoding="utf-8"))["files"]]
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} is damaged; collect again with --force to have it anew") from error


@dataclass(frozen=True)
class Left:
    """What a download holds and nobody has been graded by: students of whose files none was taken, and how many files came under
    the name or number of nobody who is known."""

    students: frozenset[str]
    nobodys: int


def read_left(folder: Path) -> Left:
    """What was left of one assignment's downloads. Raises CourseError."""
    decisions = read_listing(folder)
    taken = {decision.student for decision in decisions if decision.taken_as}
    students = {decision.student for decision in decisions if decision.student} - taken
    return Left(frozenset(students), sum(bool(decision.lms) and not decision.student for decision in decisions))
