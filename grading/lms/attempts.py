"""Which of an LMS's files are whose submission: the newest attempt of each student, and why anything else was left."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from grading.lms.names import PLAIN, Claim, is_named, read_claim
from grading.lms.roster import NobodyNamed, Roster


@dataclass(frozen=True)
class Found:
    """A file below the folder of unpacked files, and the date that orders downloads: that of its entry in the LMS's archive."""

    path: str
    moment: float


@dataclass(frozen=True)
class Decision:
    """What becomes of a file. `taken_as` is its name in the submission, empty where it was left; `part` is the part of its
    path that the LMS made, under which it takes feedback back."""

    file: str
    why: str
    student: str = ""
    taken_as: str = ""
    lms: str = ""
    part: str = ""
    late: bool = False


@dataclass(frozen=True)
class Owned:
    """A file with its owner."""

    found: Found
    claim: Claim
    student: str
    by_name: bool
    unit: str

    @property
    def name(self) -> str:
        """What the student called it."""
        last = os.path.basename(self.found.path)
        return self.claim.file if self.claim.part == last and self.claim.file else last

    @property
    def rank(self) -> tuple[int, float]:
        """Newer is larger: Canvas numbers what arrives; elsewhere the date of the download decides."""
        return self.claim.attachment, self.found.moment

    def decided(self, why: str, taken_as: str = "") -> Decision:
        """The decision about it."""
        claim = self.claim
        return Decision(self.found.path, why, self.student, taken_as, claim.lms, claim.part, claim.late)


def decide(
    files: Iterable[Found], roster: Roster, notebook: str, handed_in: Sequence[str], present: Collection[str] = ()
) -> list[Decision]:
    """A decision on every file. `present` are students who have a submission that must stay."""
    decisions: list[Decision] = []
    owned = list(_owned(files, roster, decisions))
    meant: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in owned:
        meant[one.student, one.claim.lms].add(one.claim.number)
    by_student: dict[str, list[Owned]] = defaultdict(list)
    for one in owned:
        if one.by_name and len(meant[one.student, one.claim.lms]) > 1:
            decisions.append(one.decided(_twice_named(one)))
        else:
            by_student[one.student].append(one)
    for student, theirs in by_student.items():
        if student in present:
            decisions += [one.decided(f"{student} has a submission already; --force puts this in its place") for one in theirs]
        else:
            decisions += _attempts(theirs, notebook, handed_in)
    return sorted(decisions, key=lambda decision: decision.file)


def _owned(files: Iterable[Found], roster: Roster, decisions: list[Decision]) -> Iterator[Owned]:
    """Files with a known owner; a decision is made on the others."""
    units: dict[str, list[Found]] = defaultdict(list)
    for found in files:
        units[found.path.split("/")[0] if "/" in found.path else ""].append(found)
    for unit, members in units.items():
        shared = os.path.commonpath([os.path.dirname(found.path) for found in members])
        for found in members:
            candidates = found.path.split("/")[: len(shared.split("/")) + 1 if shared else 1]
            try:
                yield _owner(found, candidates, roster, unit)
            except NobodyNamed as error:
                claim = _claimed(candidates)
                kept = Decision(found.path, str(error))
                decisions.append(replace(kept, lms=claim.lms, part=claim.part, late=claim.late) if claim else kept)


def _claimed(candidates: Sequence[str]) -> Claim | None:
    """The outermost part that an LMS named: what lies below it the student has named."""
    return next((claim for part in candidates if (claim := read_claim(part))), None)


def _owner(found: Found, candidates: Sequence[str], roster: Roster, unit: str) -> Owned:
    if claim := _claimed(candidates):
        match = roster.match(claim.lms, claim.number, (), claim.name)
        return Owned(found, claim, match.student, match.by_name, unit)
    for part in candidates:
        named = part.removesuffix(".zip") if part != os.path.basename(found.path) else os.path.splitext(part)[0]
        try:
            match = roster.match(PLAIN, "", (part, named), named)
        except NobodyNamed as error:
            if "is the name of" in str(error):
                raise
            continue
        return Owned(found, Claim(PLAIN, part, named), match.student, match.by_name, unit)
    raise NobodyNamed(f"its path names nobody in {roster.origin}")


def _twice_named(one: Owned) -> str:
    """Only a name says whose this is, and the LMS has another person by whom that student is meant."""
    told = f"several people in {one.claim.lms} could be {one.student} by their names"
    return f"{told}, this one being {one.claim.in_words()}: give the roster a column {one.claim.lms}_id"


def _attempts(theirs: Sequence[Owned], notebook: str, handed_in: Sequence[str]) -> Iterator[Decision]:
    """Of one student: the newest download in which there is something of theirs is the attempt that counts."""
    units: dict[str, list[Owned]] = defaultdict(list)
    for one in theirs:
        units[one.unit].append(one)
    newest = max(units, key=lambda unit: (max(one.rank for one in units[unit]), unit))
    yield from _chosen(units.pop(newest), notebook, handed_in)
    for older in units.values():
        yield from (
            one.decided(f"an earlier download of {one.student}'s work; the newest, in {newest or '.'}, counts") for one in older
        )


def _chosen(files: Sequence[Owned], notebook: str, handed_in: Sequence[str]) -> Iterator[Decision]:
    taken: dict[str, Owned] = {}
    for wanted in (notebook, *handed_in):
        if named := [one for one in files if is_named(one.name, wanted)]:
            taken[wanted] = max(named, key=lambda one: (one.rank, one.name == wanted, -one.found.path.count("/"), one.found.path))
    notebooks = [one for one in files if one.name.lower().endswith(".ipynb")]
    if notebook not in taken and len(notebooks) == 1:
        taken[notebook] = notebooks[0]
    places = {one.found.path: wanted for wanted, one in taken.items()}
    for one in files:
        if one.found.path in places:
            yield one.decided("taken", places[one.found.path])
        elif notebook not in taken and one in notebooks:
            yield one.decided(
                f"none of {one.student}'s {len(notebooks)} notebooks is called {notebook}: put the right one there yourself"
            )
        else:
            yield one.decided(_left(one, taken, notebook, handed_in))


def _left(one: Owned, taken: dict[str, Owned], notebook: str, handed_in: Sequence[str]) -> str:
    for wanted in (notebook, *handed_in):
        if wanted in taken and is_named(one.name, wanted):
            return f"an earlier or another {wanted} of {one.student}; {taken[wanted].found.path} counts"
    if one.name.lower().endswith(".ipynb"):
        return f"another notebook of {one.student}; {taken[notebook].found.path} counts"
    told = "it was not asked for"
    return told if notebook in taken else f"{told}, and {one.student} handed in no notebook"
