"""One attack: what it is in a sentence, what it hands in, what it must earn, and what the report must say.

An attack on a notebook's code is a file `attacks/<group>/<name>.py`: a docstring whose first paragraph says what is tried, then
lines `word: value`, then the cells, each under a line `# %% <where>`:

    first cell | last cell      a cell of the student's own, before or after everything
    every answer                the text of all answer cells
    answer <grade id>           the text of an answer cell
    graded <grade id>           the text of a graded cell, which is locked

The words: `base` is the notebook that the cells go into (`wrong`: every function returns zeros; `solved`; `release`: untouched);
`earns` is `nothing`, `all`, `ungraded`, or `all but attention 5, hard_lookup 0`; `finds` lists the kinds of findings that the
verdicts must hold, and no others; each `report` is a phrase that verdicts and report must hold; each `shows` one that the
notebook's outputs must hold, so that an attack that never ran cannot pass for one that failed.

Cells may use the names in `Targets`, which become expressions: their values stand nowhere in the text, so that finding them in a
notebook means that they leaked.

Attacks that no cell can make are functions in `metadata.py` and `folders.py`, with the same docstring; there `student` may
name who hands in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from grading.course import Plan

FOLDER = Path(__file__).parent / "attacks"
_WORDS = ("base", "earns", "finds", "report", "shows", "student")


@dataclass(frozen=True)
class Targets:
    """What an attack may aim at, outside the sandbox."""

    COURSE: str  # the course's folder
    REPOSITORY: str  # the folder that grading runs from
    CANARY: str  # a folder beside the course
    PORT: str  # of a server on the loopback interface
    ABSTRACT: str  # the name of an abstract socket
    GRADER: str  # the pid of the grading process

    def put_into(self, text: str) -> str:
        """The text with each name, as in __COURSE__, replaced by an expression that does not show its value."""
        for field in fields(self):
            hidden = getattr(self, field.name).encode().hex()
            text = text.replace(f"__{field.name}__", f'bytes.fromhex("{hidden}").decode()')
        return text


@dataclass(frozen=True)
class Claim:
    """What an attack's docstring says: the sentence, and the values of its words."""

    sentence: str
    base: str
    earns: str
    finds: frozenset[str]
    report: tuple[str, ...]
    shows: tuple[str, ...]
    student: str = ""

    def points(self, plan: Plan) -> Mapping[str, float | None]:
        """Points by graded cell; None where a person must decide."""
        names, points = plan.assignment.points, dict(plan.assignment.points)
        if self.earns in ("nothing", "ungraded"):
            return dict.fromkeys(names, 0.0 if self.earns == "nothing" else None)
        for part in self.earns.removeprefix("all").removeprefix(" but ").split(", "):
            if part:
                cell, earned = part.split(" ")
                assert cell in names, f"there is no cell {cell}"
                points[cell] = float(earned)
        return points


def read_claim(docstring: str | None) -> Claim:
    """The claim in a docstring; a sentence may take several lines, a word's value takes one."""
    lines = [line.strip() for line in (docstring or "").splitlines()]
    said: dict[str, list[str]] = {word: [] for word in _WORDS}
    sentence = []
    for line in lines:
        word, colon, value = line.partition(": ")
        if colon and word in said:
            said[word].append(value)
        elif line:
            sentence.append(line)
    kinds = frozenset(kind for value in said["finds"] for kind in value.split(", "))
    base = said["base"][0] if said["base"] else "wrong"
    assert sentence, "an attack says what it tries"
    assert len(said["earns"]) == 1, "an attack says what it earns"
    # A name that is no text is written as Python would, so that this file stays text.
    student = "".join(said["student"]).encode("latin-1").decode("unicode_escape")
    return Claim(" ".join(sentence), base, said["earns"][0], kinds, tuple(said["report"]), tuple(said["shows"]), student)


@dataclass(frozen=True)
class CodeAttack:
    """An attack on a notebook's code: its claim, and its cells as (where, text)."""

    name: str
    claim: Claim
    cells: tuple[tuple[str, str], ...]


def read_code_attacks() -> dict[str, CodeAttack]:
    """All files under attacks/, by `<group>-<name>`."""
    found = [_read(path) for path in sorted(FOLDER.glob("*/*.py"))]
    return {attack.name: attack for attack in found}


def _read(path: Path) -> CodeAttack:
    text = path.read_text()
    head, *pieces = re.split(r"^# %% (.*)\n", text, flags=re.MULTILINE)
    cells = tuple((where.strip(), cell.strip("\n")) for where, cell in zip(pieces[::2], pieces[1::2], strict=True))
    name = f"{path.parent.name}-{path.stem}".replace("_", "-")
    assert cells, f"{path} holds no cell"
    return CodeAttack(name, read_claim(ast.get_docstring(ast.parse(head))), cells)
