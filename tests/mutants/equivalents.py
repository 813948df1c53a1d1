"""Mutants that no check is to kill, and why: `equivalent/NAME.toml` lists those of each assignment.

An entry names a mutant by function, `was` and `becomes` (and `number`, where one text occurs more than once), says of which
`kind` it is, and the reason. "equivalent": on every input that the assignment's text allows, the answer does what it did.
"not asked": it does not, and neither the notebook nor a signature asks for what is lost.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.population import Key

_FOLDER = Path(__file__).parent / "equivalent"
KINDS = ("equivalent", "not asked")


@dataclass(frozen=True)
class Equivalent:
    """One entry."""

    key: Key
    kind: str
    reason: str

    @property
    def identity(self) -> str:
        """For people."""
        function, was, becomes, number = self.key
        return f"{function}: {was} -> {becomes}" + (f" #{number}" if number > 1 else "")


def equivalents_of(assignment: str) -> Path:
    """The file that lists an assignment's."""
    return _FOLDER / f"{assignment}.toml"


def read_equivalents(assignment: str) -> Mapping[Key, Equivalent]:
    """The entries of an assignment; none where it has no file. Raises ValueError for one that is incomplete or stands twice."""
    path = equivalents_of(assignment)
    entries: dict[Key, Equivalent] = {}
    for content in tomllib.loads(path.read_text())["mutant"] if path.is_file() else ():
        entry = _entry(content)
        if entry.key in entries:
            raise ValueError(f"{path.name} lists a mutant twice: {entry.identity}")
        entries[entry.key] = entry
    return entries


def _entry(content: Mapping[str, object]) -> Equivalent:
    words = {name: str(content.get(name, "")) for name in ("function", "was", "becomes", "kind", "reason")}
    if not all(words.values()) or words["kind"] not in KINDS or set(content) - {*words, "number"}:
        raise ValueError(f"an entry needs function, was, becomes, a kind of {KINDS} and a reason: {dict(content)}")
    number = content.get("number", 1)
    if not isinstance(number, int):
        raise ValueError(f"the number of an entry is none: {number!r}")
    return Equivalent((words["function"], words["was"], words["becomes"], number), words["kind"], words["reason"])
