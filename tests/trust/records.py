"""What the commands counted, as they printed it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grading.course import find_course

FOLDER = find_course().root / "docs" / "trust"
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Records:
    """By assignment: the kill matrix, mutants, styles, and chances of error."""

    zoo: Mapping[str, Record]
    mutants: Mapping[str, Record]
    styles: Mapping[str, Record]
    chance: Mapping[str, Record]


def read_records(folder: Path = FOLDER) -> Records:
    """Everything in docs/trust/. Raises OSError where a file is missing."""
    lines = {name: by_assignment((folder / f"{name}.jsonl").read_text().splitlines()) for name in ("zoo", "mutants", "styles")}
    return Records(**lines, chance=json.loads((folder / "chance.json").read_text()))


def by_assignment(lines: Sequence[str]) -> dict[str, Record]:
    """One JSON object a line; the last of an assignment counts."""
    found = (json.loads(line) for line in lines if line.strip())
    return {one["assignment"]: one for one in found}
