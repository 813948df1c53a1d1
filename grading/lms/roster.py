"""Who is who: from what an LMS calls a person to the name of the student's folder.

`roster.csv` in the course's folder has a column `student_id` and any of `canvas_id`, `moodle_id`, `login`, `email`, `name`,
`first_name` with `last_name`, and `submitted_at`. A gradebook exported from Canvas is a roster as it is: students are then
called by their SIS Login ID. Without a roster nbgrader's own students are taken, and their `lms_user_id`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from grading.course import CourseError
from grading.lms.names import CANVAS, MOODLE, name_key
from grading.lms.tables import field as named
from grading.lms.tables import read_table
from grading.papers import checked

ROSTER = "roster.csv"
_NUMBERS = {CANVAS: ("canvas_id", "lms_user_id"), MOODLE: ("moodle_id", "identifier")}
_COLUMNS = {CANVAS: "canvas_id", MOODLE: "moodle_id"}
_WORDS = ("login", "sis_login_id", "username", "email", "email_address", "sis_user_id", "id_number")


class NobodyNamed(Exception):
    """No student, or no single one, is meant; the message says why."""


@dataclass(frozen=True)
class Person:
    """A student by all names. `numbers` are an LMS's own, `words` what names one person in the whole school: logins,
    addresses."""

    student: str
    names: tuple[str, ...] = ()
    numbers: frozenset[tuple[str, str]] = frozenset()
    words: frozenset[str] = frozenset()
    submitted_at: datetime | None = None


@dataclass(frozen=True)
class Match:
    """A student, and whether only a name says so, which several people may have."""

    student: str
    by_name: bool


@dataclass(frozen=True)
class Roster:
    """All students of a course, and where they are listed."""

    people: tuple[Person, ...]
    origin: str
    _by_number: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    _by_word: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _by_name: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for person in self.people:
            for number in person.numbers:
                self._by_number[number].add(person.student)
            for word in (person.student, *person.words):
                self._by_word[word.casefold()].add(person.student)
            for key in {key for name in person.names for key in name_keys(name)}:
                self._by_name[key].add(person.student)
        for (lms, own), students in self._by_number.items():
            if len(students) > 1:
                raise CourseError(f"{self.origin} gives the {lms} number {own} to {_listed(students)}; it can be one student's")

    def moments(self) -> Mapping[str, datetime]:
        """When the LMS received each student's submission, where the roster says so."""
        return {person.student: person.submitted_at for person in self.people if person.submitted_at is not None}

    def match(self, lms: str, number: str, words: Iterable[str], name: str) -> Match:
        """The student with this number, or else one of these words, or else this name. Raises NobodyNamed."""
        if one := self._by_number.get((lms, number)):
            return Match(min(one), False)
        for word in words:
            if word and len(found := self._by_word.get(word.casefold(), set())) == 1:
                return Match(min(found), False)
        return Match(self._named(lms, number, name), True)

    def _named(self, lms: str, number: str, name: str) -> str:
        """The student of this name; not one whom the roster knows under another number. Raises NobodyNamed."""
        found = self._by_name.get(name_key(name), set()) if name_key(name) else set()
        others = {person.student for person in self.people if number and any(own == lms for own, _ in person.numbers)} & found
        if len(found - others) > 1:
            told = f"{name!r} is the name of {_listed(found - others)}, and no number tells them apart"
            raise NobodyNamed(f"{told}: give {self.origin} a column {_COLUMNS.get(lms, 'canvas_id')}")
        if not found:
            raise NobodyNamed(f"nobody in {self.origin} is {name!r}" + (f" or has the {lms} number {number}" if number else ""))
        if found == others:
            raise NobodyNamed(
                f"{name!r} comes with the {lms} number {number}, and {self.origin} has another for {_listed(found)}"
            )
        return min(found - others)


def _listed(students: Iterable[str]) -> str:
    return " and ".join(sorted(students))


def name_keys(name: str) -> Iterator[str]:
    """A name in every order that begins with another of its words: LMS write `Ada King Lovelace` and `lovelaceadaking`."""
    words = name.replace(",", " ").split()
    for turn in range(len(words)):
        yield name_key("".join(words[turn:] + words[:turn]))


def read_lms_roster(path: Path) -> Roster:
    """The roster of a file. Raises CourseError."""
    table = read_table(path)
    columns = table.named()
    exported = "sis_login_id" in columns and "student_id" not in columns  # by Canvas
    own = ("sis_login_id",) if exported else ("student_id", "username", "id")
    if not any(name in columns for name in own):
        raise CourseError(f"{path.name} has no column student_id, which names students as the folders in submitted/ do")
    people = [_person(row, columns, own, exported, path.name) for row in table.rows if named(row, columns, *own)]
    checked((person.student for person in people), path.name)
    return Roster(tuple(people), path.name)


def _person(row: tuple[str, ...], columns: Mapping[str, int], own: tuple[str, ...], exported: bool, origin: str) -> Person:
    whole = named(row, columns, "name", "full_name", *(("student",) if exported else ()))
    parts = [named(row, columns, "first_name", "firstname"), named(row, columns, "last_name", "lastname", "surname")]
    names = tuple(name for name in (whole, " ".join(filter(None, parts))) if name)
    numbers = {(lms, named(row, columns, *known).removeprefix("Participant").strip()) for lms, known in _NUMBERS.items()}
    if exported:
        numbers = {(CANVAS, named(row, columns, "id"))}
    words = frozenset(filter(None, (named(row, columns, word) for word in _WORDS)))
    moment = _moment(named(row, columns, "submitted_at"), origin)
    return Person(named(row, columns, *own), names, frozenset(pair for pair in numbers if pair[1]), words, moment)


def _moment(text: str, origin: str) -> datetime | None:
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise CourseError(f"{origin}: submitted_at is {text!r}; a moment with its offset is needed, as 2026-06-15T09:00:00+02:00")
    return found.astimezone(UTC)


def known_people(students: Iterable[Mapping[str, str | None]]) -> Roster:
    """The roster of nbgrader's own students, given as its gradebook has them."""
    people = []
    for student in students:
        name = " ".join(filter(None, (student["first_name"], student["last_name"])))
        number = student["lms_user_id"]
        numbers = frozenset({(CANVAS, number)} if number else ())
        people.append(Person(str(student["id"]), (name,) if name else (), numbers, frozenset(filter(None, [student["email"]]))))
    return Roster(tuple(people), "nbgrader's gradebook")
