"""Grades in the columns that Canvas and Moodle import: their own exported table, with our points in it.

Canvas reads who a row is about from its columns Student, ID, SIS User ID, SIS Login ID and Section, and what a column is about
from the number in brackets behind its title; a row called Points Possible stands before the students. Moodle reads the person
from a column that the instructor names when importing (username, email address, ID number), or, in an assignment's grading
worksheet, from Identifier. Both take a blank cell for no grade. (Read off gradebook_importer.rb, gradebook_exporter.rb,
load_data.php and importgradeslib.php.)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from grading.course import CourseError
from grading.grades import ABSENT, Grade, Grades
from grading.lms.names import CANVAS, MOODLE, name_key
from grading.lms.roster import NobodyNamed, Roster
from grading.lms.tables import Table, guarded
from grading.lms.tables import field as named

_CANVAS_PEOPLE = (
    "student",
    "lastname",
    "firstname",
    "id",
    "sis_user_id",
    "sis_login_id",
    "integration_id",
    "root_account",
    "section",
)
_MOODLE_PEOPLE = ("identifier", "username", "id_number", "email_address")
_MOODLE_NAMES = ("full_name", "first_name", "last_name", "surname")
_CANVAS_TITLE = re.compile(r"(?P<title>.*?)\s*\((?P<number>\d+)\)\s*", re.DOTALL)
_HALF_A_CENT = 0.005  # both systems show two decimals
_CANVAS_WORDS = re.compile(r"EX|N/A", re.IGNORECASE)  # excused, or not assigned: a person's decision in Canvas


@dataclass(frozen=True)
class Filled:
    """A table to import, and what the instructor should know about it."""

    table: Table
    notes: tuple[str, ...] = ()


@dataclass
class _Filling:
    """Fills a template row by row."""

    grades: Grades
    roster: Roster
    columns: Mapping[str, int]
    notes: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    def student(self, lms: str, number: str, words: Collection[str], name: str) -> str | None:
        """Whose row this is; None where nobody's of ours."""
        try:
            student = self.roster.match(lms, number, words, name).student
        except NobodyNamed as error:
            self.notes.append(f"{name or ' '.join(words)}: {error}; the row is left as it was")
            return None
        self.seen[student] = self.seen.get(student, 0) + 1
        return student

    def cells(self, row: tuple[str, ...], student: str | None) -> dict[int, str]:
        """The grades of a row, by column."""
        return {place: self._cell(row[place].strip(), student, name) for name, place in self.columns.items()}

    def _cell(self, before: str, student: str | None, assignment: str) -> str:
        grade = self.grades.grades.get((student, assignment)) if student else None
        if _CANVAS_WORDS.fullmatch(before):
            if grade is not None and grade.points is not None:
                self.notes.append(
                    f"{student}, {assignment}: the table says {before}, which stays; here are {number(grade.points)} points"
                )
            return before
        if grade is None or (grade.points is None and grade.status == ABSENT):
            return "" if before == "-" else before
        if grade.points is None and before:
            self.notes.append(f"{student}, {assignment}: the table has {before}, which is taken out, for it is undecided here")
        return "" if grade.points is None else number(grade.points)

    def missing(self) -> Iterator[str]:
        """Students with points and no row."""
        for (student, assignment), grade in sorted(self.grades.grades.items()):
            if assignment in self.columns and grade.points is not None and student not in self.seen:
                yield f"{student} has {number(grade.points)} points in {assignment} and no row in the table"
        for student, count in self.seen.items():
            if count > 1:
                yield f"{student} is meant by {count} rows of the table: look at them before importing"


def number(points: float) -> str:
    """Points with at most two decimals, as both systems show them."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def fill_canvas(template: Table, grades: Grades, roster: Roster, told: Mapping[str, str], asked: Collection[str] = ()) -> Filled:
    """Canvas's exported gradebook, cut to the columns of people and of these assignments. Raises CourseError."""
    columns = template.named()
    if not {"id", "section"} <= columns.keys() or not {"student", "lastname"} & columns.keys():
        raise CourseError("this is no gradebook of Canvas: it needs the columns Student, ID and Section; export it there anew")
    people = sorted(columns[name] for name in _CANVAS_PEOPLE if name in columns)
    graded = assignment_columns(template, grades, told, asked, set(people))
    filling = _Filling(grades, roster, graded)
    rows, students = [], False
    has_points = any("Points Possible" in row[people[0]] for row in template.rows)
    for row in template.rows:
        if has_points and not students:  # rows before the students: which assignments are posted by hand, and the points possible
            students = "Points Possible" in row[people[0]]
            filling.notes += _other_points(row, template, grades, graded) if students else []
            rows.append(row)
            continue
        student = _canvas_student(filling, row, columns)
        text = [guarded(value) if place in people else value for place, value in enumerate(row)]
        rows.append(tuple({**dict(enumerate(text)), **filling.cells(row, student)}.values()))
    kept = [*people, *sorted(set(graded.values()))]
    cut = tuple(tuple(row[place] for place in kept) for row in rows)
    return Filled(
        Table(tuple(template.header[place] for place in kept), cut, template.separator), (*filling.notes, *filling.missing())
    )


def _canvas_student(filling: _Filling, row: tuple[str, ...], columns: Mapping[str, int]) -> str | None:
    whole = named(row, columns, "student") or f"{named(row, columns, 'lastname')}, {named(row, columns, 'firstname')}"
    if name_key(whole) == "studenttest":  # Canvas's own test student
        return None
    words = [named(row, columns, name) for name in ("sis_login_id", "sis_user_id", "id")]
    return filling.student(CANVAS, named(row, columns, "id"), words, whole)


def _other_points(row: tuple[str, ...], template: Table, grades: Grades, columns: Mapping[str, int]) -> Iterator[str]:
    for assignment, place in columns.items():
        yield from _most(template.header[place], row[place], assignment, grades)


def _most(title: str, possible: str, assignment: str, grades: Grades) -> Iterator[str]:
    """What to know where the LMS counts an assignment out of another number than we do."""
    most = next((grade.max_points for grade in grades.grades.values() if grade.assignment == assignment), None)
    try:
        same = most is None or not possible.strip() or abs(float(possible.strip().replace(",", ".")) - most) < _HALF_A_CENT
    except ValueError:
        same = False
    if most is not None and not same:
        told = f"{title} has {possible.strip()} points possible, and {assignment} {number(most)}"
        yield f"{told}: points are written as they are"


def _other_maximum(template: Table, grades: Grades, assignment: str) -> Iterator[str]:
    """The same for a grading worksheet, which tells it in every row."""
    columns = template.named()
    for possible in sorted({named(row, columns, "maximum_grade") for row in template.rows}):
        yield from _most("the worksheet", possible, assignment, grades)


def assignment_columns(
    template: Table, grades: Grades, told: Mapping[str, str], asked: Collection[str], people: Collection[int]
) -> dict[str, int]:
    """The column of each assignment: the one that was told, or else the only one whose title has its name. Raises CourseError."""
    if unknown := told.keys() - set(grades.assignments):
        raise CourseError(f"--column names {min(unknown)!r}; exported are: {', '.join(grades.assignments)}")
    found: dict[str, int] = {}
    titles = {place: title for place, title in enumerate(template.header) if place not in people}
    for assignment in grades.assignments:
        if assignment in told:
            places = [place for place, title in titles.items() if told[assignment].strip() in (title.strip(), _number_in(title))]
        else:
            places = [place for place, title in titles.items() if name_key(assignment) in name_key(title)]
        if len(places) == 1:
            if other := next((known for known, place in found.items() if place == places[0]), ""):
                told_twice = f"{other} and {assignment} would both go into the column {titles[places[0]]!r}"
                raise CourseError(f"{told_twice}; say with --column which goes where, or export only one of them")
            found[assignment] = places[0]
        elif assignment in told or assignment in asked or places:
            those = ", ".join(repr(title) for title in titles.values()) or "none"
            which = f"{len(places)} columns of the table could be {assignment}"
            raise CourseError(f"{which}; say which is with --column '{assignment}=TITLE', of: {those}")
    if not found:
        raise CourseError(
            "no column of the table has the name of an assignment; say which is which with --column 'ASSIGNMENT=TITLE'"
        )
    return found


def _number_in(title: str) -> str:
    found = _CANVAS_TITLE.fullmatch(title)
    return found["number"] if found else ""


def fill_moodle(template: Table, grades: Grades, roster: Roster, told: Mapping[str, str], asked: Collection[str] = ()) -> Filled:
    """Moodle's exported grades, or an assignment's grading worksheet, with our points. Raises CourseError."""
    columns = template.named()
    keys = [columns[name] for name in _MOODLE_PEOPLE if name in columns]
    if not keys:
        raise CourseError("this is no table of Moodle's: it needs a column Identifier, Username, ID number or Email address")
    worksheet = "identifier" in columns
    if worksheet and len(grades.assignments) == 1 and not told:
        told = {grades.assignments[0]: "Grade"}
    people = {*keys, *(columns[name] for name in _MOODLE_NAMES if name in columns)}
    graded = assignment_columns(template, grades, told, asked, people)
    filling = _Filling(grades, roster, graded)
    filling.notes += _other_maximum(template, grades, next(iter(graded))) if worksheet else []
    rows = []
    for row in template.rows:
        student = _moodle_student(filling, row, columns)
        if student and (formula := next((row[place] for place in keys if guarded(row[place]) != row[place]), None)):
            filling.notes.append(
                f"{student}: left out, for {formula!r} names them to Moodle and a spreadsheet runs it; enter it by hand"
            )
            continue
        plain = {*keys, columns.get("feedback_comments", -1)}  # what is imported again must be what was exported
        text = [value if place in plain else guarded(value) for place, value in enumerate(row)]
        rows.append(tuple({**dict(enumerate(text)), **filling.cells(row, student)}.values()))
    kept = range(len(template.header)) if worksheet else sorted({*people, *graded.values()})
    cut = tuple(tuple(row[place] for place in kept) for row in rows)
    return Filled(
        Table(tuple(template.header[place] for place in kept), cut, template.separator), (*filling.notes, *filling.missing())
    )


def _moodle_student(filling: _Filling, row: tuple[str, ...], columns: Mapping[str, int]) -> str | None:
    first, last = named(row, columns, "first_name"), named(row, columns, "last_name", "surname")
    words = [named(row, columns, name) for name in ("username", "email_address", "id_number")]
    participant = named(row, columns, "identifier").removeprefix("Participant").strip()
    return filling.student(MOODLE, participant, words, named(row, columns, "full_name") or f"{first} {last}".strip())


def own_moodle(grades: Grades) -> Filled:
    """A table for Moodle without a template: students' ids are their usernames."""
    header = ("Username", "Email address", "First name", "Last name", *grades.assignments)
    rows, notes = [], []
    for learner in grades.learners:
        keys = (learner.student, learner.email)
        if any(guarded(key) != key for key in keys):
            notes.append(f"{learner.student}: left out, for a spreadsheet would run this name; enter the grade by hand")
            continue
        points = (grades.grades[learner.student, name].points for name in grades.assignments)
        names = (guarded(learner.first_name), guarded(learner.last_name))
        rows.append((*keys, *names, *("" if value is None else number(value) for value in points)))
    return Filled(Table(header, tuple(rows)), tuple(notes))


def long_table(grades: Grades) -> Filled:
    """One line for each student and assignment, with how far it is graded: for people and scripts."""
    header = ("student_id", "last_name", "first_name", "email", "assignment", "score", "max_score", "status")
    people = {learner.student: learner for learner in grades.learners}
    rows = []
    for (student, assignment), grade in sorted(grades.grades.items()):
        who = people[student]
        texts = tuple(map(guarded, (student, who.last_name, who.first_name, who.email, assignment)))
        points = "" if grade.points is None else number(grade.points)
        rows.append((*texts, points, number(grade.max_points), grade.status))
    return Filled(Table(header, tuple(rows)))


def absent_as_zero(grades: Grades) -> Grades:
    """The same with 0 for whoever handed nothing in."""
    return replace(grades, grades={key: _zero_if_absent(grade) for key, grade in grades.grades.items()})


def _zero_if_absent(grade: Grade) -> Grade:
    return replace(grade, points=0.0) if grade.status == ABSENT else grade
