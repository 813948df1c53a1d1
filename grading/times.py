"""When an exam opens and closes for each student, and when a submission arrived by the collector's clock.

`exam_times.toml` in the course's folder, for instance (moments need their offset from UTC):

    [exam_attention]
    opens = 2026-06-15T09:00:00+02:00
    minutes = 90

    [exam_attention.students.alice]
    minutes = 120

    [exam_attention.students.bob]
    opens = 2026-06-16T09:00:00+02:00

A student's end is `closes` where it is given, and otherwise `opens` plus `minutes`; a student's own lines count before the
exam's. `collected.csv` beside it says when each submission arrived: `nbgrader collect` writes it, or whoever collects in another
way. No file that comes with a submission has a say.
"""

from __future__ import annotations

import csv
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from grading.checks import load_assignment
from grading.course import Course, CourseError
from grading.export import read_timestamp
from grading.files import replace_file
from grading.submission import Submission
from grading.verdict import Finding

TIMES, COLLECTED = "exam_times.toml", "collected.csv"
_LONGEST_MINUTES = 60 * 24 * 366  # what is longer has been mistyped
_HEADER = ("student", "assignment", "moment")


@dataclass(frozen=True)
class Sitting:
    """Opening and end of an exam for one student, or for all who have no line of their own."""

    opens: datetime
    ends: datetime


@dataclass(frozen=True)
class Times:
    """The sittings of one exam."""

    usual: Sitting
    own: Mapping[str, Sitting]

    def of(self, student: str) -> Sitting:
        """A student's sitting."""
        return self.own.get(one_name(student), self.usual)

    def strangers(self, students: Iterable[str]) -> list[str]:
        """Names with times of their own that are none of these students': misspelt ones, as a rule."""
        return sorted(self.own.keys() - set(map(one_name, students)))

    @property
    def last_end(self) -> datetime:
        """The closing moment of the last student."""
        return max(sitting.ends for sitting in (self.usual, *self.own.values()))


@dataclass(frozen=True)
class Arrival:
    """When a submission arrived, in UTC without an offset as nbgrader has it, and how late that is; `late_s` is None where the
    gradebook's due date decides."""

    moment: datetime | None
    late_s: float | None = None
    findings: tuple[Finding, ...] = ()


def read_times(course: Course, assignment: str) -> Times | None:
    """The times of an assignment; None where it has none. Raises CourseError."""
    path = course.run_root / TIMES
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{TIMES}: {error}") from error
    if unknown := content.keys() - set(course.assignments()):
        raise CourseError(f"{TIMES}: there is no assignment {min(unknown)!r}; the course has {', '.join(course.assignments())}")
    if assignment not in content:
        return None
    return _times(content[assignment], f"{TIMES}, {assignment}")


def _times(content: Any, where: str) -> Times:
    if not isinstance(content, dict) or not isinstance(students := content.get("students", {}), dict):
        raise CourseError(f"{where}: a table is needed here")
    usual = {key: value for key, value in content.items() if key != "students"}
    for_all = _sitting(usual, {}, where)
    return Times(for_all, {one_name(name): _sitting(usual, lines, f"{where}, {name}") for name, lines in students.items()})


def one_name(student: str) -> str:
    """A student's name with its accents composed: files are written by people, folders by file systems."""
    return unicodedata.normalize("NFC", student)


def _sitting(usual: Mapping[str, Any], own: Any, where: str) -> Sitting:
    """A sitting from the exam's lines and a student's own: a length or an opening of one's own moves the exam's `closes`."""
    if not isinstance(own, dict):
        raise CourseError(f"{where}: a table is needed here")
    if unknown := (usual.keys() | own.keys()) - {"opens", "closes", "minutes"}:
        raise CourseError(f"{where}: {min(unknown)} is not known; known are opens, closes and minutes")
    if {"closes", "minutes"} <= own.keys():
        raise CourseError(f"{where}: closes and minutes are both given, and either says when it ends; leave one out")
    lines = {**({k: v for k, v in usual.items() if k != "closes"} if own else usual), **own}
    opens = _moment(lines.get("opens"), f"{where}: opens")
    closes = lines.get("closes")
    ends = opens + _length(lines.get("minutes"), where) if closes is None else _moment(closes, f"{where}: closes")
    if ends <= opens:
        raise CourseError(f"{where}: it closes before it opens")
    return Sitting(opens, ends)


def _length(minutes: Any, where: str) -> timedelta:
    if type(minutes) not in (int, float) or not 0 < minutes <= _LONGEST_MINUTES:
        raise CourseError(f"{where}: minutes must be a number above 0 and at most {_LONGEST_MINUTES}, or closes must be given")
    return timedelta(minutes=minutes)


def _moment(value: Any, where: str) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise CourseError(f"{where} must be a date and time with an offset from UTC, such as 2026-06-15T09:00:00+02:00")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise CourseError(f"{where}: there is no such moment") from error


@dataclass(frozen=True)
class Arrivals:
    """What there is to know about the arrival of an assignment's submissions: the exam's times, and the collector's record."""

    assignment: str
    times: Times | None
    collected: Mapping[tuple[str, str], datetime]

    def of(self, student: str, inbox: Path) -> Arrival:
        """When a submission arrived: of an exam with times by the collector's record alone."""
        if self.times is None:
            return Arrival(read_timestamp(inbox))
        moment = self.collected.get((one_name(student), self.assignment))
        if moment is None:
            told = f"{COLLECTED} does not say when this arrived; it counts as on time until a line there says otherwise."
            return Arrival(None, 0.0, (Finding("no-moment", None, told),))
        return _judged(moment, self.times.of(student))


def with_arrival(found: Submission, arrival: Arrival) -> Submission:
    """A submission with what its arrival says of it: that is what is scored, and what a result depends on."""
    return replace(found, findings=(*found.findings, *arrival.findings))


def read_arrivals(course: Course, assignment: str) -> Arrivals:
    """Read both files, once for all submissions. Raises CourseError."""
    times = read_times(course, assignment)
    return Arrivals(assignment, times, {} if times is None else read_collected(course))


def _judged(moment: datetime, sitting: Sitting) -> Arrival:
    late_s = max(0.0, (moment - sitting.ends).total_seconds())
    plain = moment.replace(tzinfo=None)
    if moment < sitting.opens:
        return Arrival(plain, 0.0, (Finding("early", None, f"It arrived before the exam opened, at {told_moment(moment)}."),))
    if not late_s:
        return Arrival(plain, 0.0)
    told = f"It arrived {late_s / 60:.1f} minutes late, at {told_moment(moment)}; the end was {told_moment(sitting.ends)}."
    return Arrival(plain, late_s, (Finding("late", None, f"{told} It was graded all the same."),))


def told_moment(moment: datetime) -> str:
    """A moment for people."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def read_collected(course: Course) -> dict[tuple[str, str], datetime]:
    """Moments of arrival by student and assignment, of several the last line's. Raises CourseError."""
    return {named: moment for _, named, moment in _collected_lines(course)}


def strange_lines(course: Course, handed_in: Mapping[str, Iterable[str]]) -> list[str]:
    """Lines of collected.csv for nobody, misspelt ones as a rule, in words; `handed_in` names students by exam.

    Raises CourseError.
    """
    lines = list(_collected_lines(course)) if handed_in else []
    students = {exam: set(map(one_name, names)) for exam, names in handed_in.items()}
    told = []
    for number, (student, exam), _ in lines:
        if exam not in course.assignments():
            known = ", ".join(course.assignments())
            told.append(f"{COLLECTED}, line {number}: there is no assignment {exam!r}; the course has {known}")
        elif student not in students.get(exam, {student}):
            waiting = sorted(students[exam] - {named for _, (named, of), _ in lines if of == exam})
            known = f"; without a line there: {', '.join(waiting[:5])}{', …' if len(waiting) > 5 else ''}" if waiting else ""
            told.append(f"{COLLECTED}, line {number}: nobody called {student!r} has handed in {exam}{known}")
    return told


def _collected_lines(course: Course) -> Iterator[tuple[int, tuple[str, str], datetime]]:
    """Number, student and assignment, and moment of each line."""
    path = course.run_root / COLLECTED
    if not path.is_file():
        return
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise CourseError(f"{COLLECTED} is no text in UTF-8") from error
    for number, row in enumerate(csv.DictReader(lines), start=2):
        try:
            moment = datetime.fromisoformat((row["moment"] or "").strip())
            named = one_name(row["student"].strip()), row["assignment"].strip()
        except (KeyError, ValueError, AttributeError) as error:
            raise CourseError(f"{COLLECTED}, line {number}: {', '.join(_HEADER)} are needed, the moment in ISO form") from error
        yield number, named, _moment(moment, f"{COLLECTED}, line {number}: moment")


def record_collected(course: Course, student: str, assignment: str, moment: datetime) -> None:
    """Add or change one line of collected.csv. Called by `nbgrader collect`. Raises CourseError."""
    known = {**read_collected(course), (one_name(student), assignment): moment}
    lines = [_HEADER, *((*names, when.astimezone(UTC).isoformat()) for names, when in sorted(known.items()))]
    quoted = ("".join(_quoted(line)) for line in lines)
    replace_file(course.run_root / COLLECTED, "".join(quoted).encode())


def _quoted(fields: tuple[str, ...]) -> str:
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields) + "\n"


def feedback_refusal(course: Course, assignment: str, now: datetime) -> str:
    """Why feedback must wait: a student may still be writing. Empty where it need not. Raises CourseError."""
    times = read_times(course, assignment)
    if times is None and load_assignment(assignment).personal is not None:
        return f"feedback on {assignment} waits until {TIMES} says when it ends, for a student may still be writing"
    if times is None or now >= times.last_end:
        return ""
    last = [name for name, sitting in times.own.items() if sitting.ends == times.last_end]
    who = f" ({', '.join(sorted(last))})" if last else ""
    return f"feedback on {assignment} waits until {told_moment(times.last_end)}, when the last student{who} has finished"
