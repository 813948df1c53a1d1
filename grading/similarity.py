"""Whose answers are alike. It says where a person may look; it accuses nobody and changes no grade.

Texts are compared by copydetect: pieces of a program are found again whatever names, comments, spaces and line ends they carry,
and wherever they stand (winnowing: Schleimer, Wilkerson and Aiken, SIGMOD 2003). Written answers are compared word for word, save
capitals and line ends.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from copydetect import CodeFingerprint, compare_files
from nbformat.notebooknode import NotebookNode

from grading.notebooks import is_answer
from grading.rebuild import Rebuilt

# A piece that counts, in characters after each name has become one letter: about three short statements. One line that everybody
# would write so is shorter.
PIECE = 40
# What more students share than this is an idiom or the lecture's, and tells nothing of two: a twentieth of the cohort, within
# limits that keep a group that copied visible, and the comparisons of a large cohort few.
COMMON_SHARE, COMMON_LEAST, COMMON_MOST = 0.05, 6, 50

# What many share is told as a passage from here on: three pieces that do not overlap, far more than an idiom.
PASSAGE = 3 * PIECE

# Between cells, in what is shown.
_GAP = "\n\n"


@dataclass(frozen=True)
class Passage:
    """The text of one cell, under a line that names it (or nothing); `prose` is what is no code."""

    text: str
    prose: bool = False
    title: str = ""

    @property
    def shown(self) -> str:
        """As the page has it."""
        return f"# {self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True)
class Writing:
    """A student's own cells: answers and others, in the notebook's order."""

    student: str
    cells: tuple[Passage, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return _GAP.join(cell.shown for cell in self.cells)


@dataclass(frozen=True)
class Side:
    """One text of a pair, the part of it (0 to 1) that the other has too, and where that stands: (start, end) in characters."""

    writing: Writing
    share: float
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Pair:
    """Two texts with pieces in common; `shared` is how much, in characters after each name has become one letter."""

    shared: int
    sides: tuple[Side, Side]


@dataclass(frozen=True)
class Group:
    """A passage that so many share that it counts for no pair of them: who has it, and where it stands in the first two texts."""

    students: tuple[str, ...]
    pair: Pair


@dataclass(frozen=True)
class Likeness:
    """What was found: pairs with the longest common pieces first, and passages of many, the longest first."""

    pairs: list[Pair]
    groups: list[Group]


def own_cells(rebuilt: Rebuilt) -> tuple[Passage, ...]:
    """What a student wrote: answers, and cells of their own."""
    cells = [c for c in rebuilt.cells if c.cell.cell_type != "raw" and (c.origin is None or is_answer(c.cell))]
    return tuple(Passage(c.cell.source, c.cell.cell_type != "code", c.title) for c in cells)


def passages_of(notebook: NotebookNode) -> list[Passage]:
    """The cells of a notebook that everybody has, or of its solution; prose may be quoted between empty lines."""
    code = [Passage(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    return code + [Passage(f"\n\n{cell.source}\n\n", prose=True) for cell in notebook.cells if cell.cell_type == "markdown"]


def compare(writings: Sequence[Writing], known: Sequence[Passage]) -> Likeness:
    """Who has pieces in common that `known` texts do not hold: two by two, and where many have them, together."""
    prints = fingerprints(writings, known)
    having = who_has(prints)
    most = min(max(COMMON_LEAST, int(COMMON_SHARE * len(prints))), COMMON_MOST)
    many = {piece: numbers for piece, numbers in having.items() if len(numbers) > most}
    groups = groups_of(writings, prints, many)
    prints = [only_pieces(found, found.hashes - many.keys()) for found in prints]
    few = [numbers for piece, numbers in having.items() if piece not in many]
    pairs = [pair_of(writings, prints, first, second) for first, second in candidates(few)]
    return Likeness(sorted(pairs, key=lambda pair: (-pair.shared, *(side.writing.student for side in pair.sides))), groups)


def fingerprints(writings: Sequence[Writing], known: Sequence[Passage]) -> list[CodeFingerprint]:
    """Each text's pieces, without those that stand in known texts."""
    prints = [fingerprint(writing.cells) for writing in writings]
    dropped = {piece for passage in known for piece in fingerprint([passage]).hashes}
    return [only_pieces(found, found.hashes - dropped) for found in prints]


def only_pieces(found: CodeFingerprint, kept: AbstractSet[int]) -> CodeFingerprint:
    """The same text with no other pieces than these."""
    limited = copy.copy(found)
    limited.hashes = found.hashes & kept
    limited.hash_idx = {piece: found.hash_idx[piece] for piece in limited.hashes}
    limited.token_coverage = max(1, pieces_cover(limited, limited.hashes))  # copydetect divides by it
    return limited


def who_has(prints: Sequence[CodeFingerprint]) -> dict[int, tuple[int, ...]]:
    """The numbers of the texts that have a piece, by piece."""
    having: dict[int, tuple[int, ...]] = {}
    for number, found in enumerate(prints):
        for piece in found.hashes:
            having[piece] = (*having.get(piece, ()), number)
    return having


def groups_of(writings: Sequence[Writing], prints: Sequence[CodeFingerprint], many: Mapping[int, tuple[int, ...]]) -> list[Group]:
    """Passages of pieces that the very same students have: an idiom is short, and each piece of it has others."""
    together: dict[tuple[int, ...], set[int]] = {}
    for piece, numbers in many.items():
        together.setdefault(numbers, set()).add(piece)
    groups = []
    for numbers, pieces in together.items():
        alone = {number: only_pieces(prints[number], pieces) for number in numbers[:2]}
        pair = pair_of(writings, alone, *numbers[:2])
        if pair.shared >= PASSAGE:
            groups.append(Group(tuple(writings[number].student for number in numbers), pair))
    return sorted(groups, key=lambda group: (-group.pair.shared, group.students))


def fingerprint(cells: Sequence[Passage]) -> CodeFingerprint:
    """Every piece of every cell: what joins the end of one and the beginning of the next is nobody's text.

    With a window of one the outcome does not depend on how this process hashes.
    """
    whole = CodeFingerprint("answers.py", PIECE, 1, fp=io.StringIO(""))
    whole.raw_code, offsets = _GAP.join(cell.shown for cell in cells), [np.zeros((1, 2), dtype=int)]
    begins = 0
    for cell in cells:
        part, shift = pieces_of(cell), len(whole.filtered_code)
        for piece, places in part.hash_idx.items():
            whole.hash_idx.setdefault(piece, []).extend(place + shift for place in places)
        offsets.append(part.offsets + np.array([shift, begins - shift]))
        whole.filtered_code += part.filtered_code
        begins += len(part.raw_code) + len(_GAP)
    whole.hashes, whole.offsets = set(whole.hash_idx), np.concatenate(offsets)
    return whole


def pieces_of(cell: Passage) -> CodeFingerprint:
    """The pieces of one cell; of prose as it stands, and none that reaches into the line which names the cell."""
    if not cell.prose:
        return CodeFingerprint("answers.py", PIECE, 1, fp=io.StringIO(cell.shown))
    lowered = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in cell.shown)
    part = CodeFingerprint("answers.md", PIECE, 1, filter=False, fp=io.StringIO(" ".join(lowered.split("\n"))))
    begins = len(cell.shown) - len(cell.text)
    places = {piece: [place for place in found if place >= begins] for piece, found in part.hash_idx.items()}
    part.hash_idx = {piece: found for piece, found in places.items() if found}
    part.offsets = np.zeros((1, 2), dtype=int)
    return part


def candidates(having: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """Who has a piece in common with whom, by number."""
    return sorted({pair for numbers in having for pair in combinations(numbers, 2)})


def pair_of(
    writings: Sequence[Writing], prints: Sequence[CodeFingerprint] | Mapping[int, CodeFingerprint], first: int, second: int
) -> Pair:
    """What two students have in common; texts and pieces by the students' numbers."""
    _, _, slices = compare_files(prints[first], prints[second])
    sides, lengths = [], []
    for number, found in zip((first, second), slices, strict=True):
        covered = pieces_cover(prints[number], prints[first].hashes & prints[second].hashes)
        lengths.append(covered)
        text = writings[number].text
        spans = tuple((max(0, int(start)), min(len(text), int(end))) for start, end in found.T)
        sides.append(Side(writings[number], covered / len(prints[number].filtered_code), spans))
    return Pair(min(lengths), (sides[0], sides[1]))


def pieces_cover(found: CodeFingerprint, pieces: set[int]) -> int:
    """How many characters of a text, names being one letter each, lie in some of these pieces."""
    return len({place + step for piece in pieces for place in found.hash_idx[piece] for step in range(PIECE)})
