"""The commands of ./course that hand things over to a learning management system: grades, and feedback."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from grading.cli import Root, app
from grading.complaints import plain_errors
from grading.course import Course, CourseError, find_course
from grading.files import replace_file
from grading.gradebook import gradebook_address
from grading.grades import Grades, downloads, outdated, read_grades, strays, undecided
from grading.lms.gradebooks import Filled, absent_as_zero, fill_canvas, fill_moodle, long_table, own_moodle
from grading.lms.handback import returns, write_returns
from grading.lms.listing import read_listing
from grading.lms.roster import ROSTER, Roster, known_people, read_lms_roster
from grading.lms.tables import read_table
from grading.times import feedback_refusal


class Format(StrEnum):
    """Who is to read the grades."""

    CANVAS = "canvas"
    MOODLE = "moodle"
    CSV = "csv"


@app.command()
def export(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Assignments; all that have been scored where none is named.")
    ] = None,
    to: Annotated[Format, typer.Option("--format", help="Who is to read the grades.")] = Format.CSV,
    out: Annotated[Path | None, typer.Option(help="File to write; printed where not given.")] = None,
    template: Annotated[
        Path | None, typer.Option(help="The table that the LMS exported: its gradebook or grading worksheet.")
    ] = None,
    column: Annotated[list[str] | None, typer.Option(help="ASSIGNMENT=TITLE, where a column's title does not tell.")] = None,
    roster: Annotated[
        Path | None, typer.Option(help="Who is who; roster.csv of the course, or nbgrader's students, else.")
    ] = None,
    absent_zero: Annotated[
        bool, typer.Option("--absent-as-zero", help="0 for what was not handed in, in place of a blank.")
    ] = False,
    root: Root = None,
) -> None:
    """Write grades, lateness taken off, in the columns that Canvas or Moodle import; the undecided stay blank and are listed."""
    with plain_errors():
        course = find_course(root)
        if unknown := set(assignments or []) - set(course.assignments()):
            raise CourseError(f"there is no assignment {min(unknown)!r}; the course has {', '.join(course.assignments())}")
        grades = read_grades(course, assignments or [])
        blank = list(undecided(grades))
        if absent_zero:
            grades = absent_as_zero(grades)
            blank = list(undecided(grades))
        told = [*strays(course, grades), *outdated(course, grades)]
        filled = _filled(course, grades, to, template, _titles(column or []), roster, assignments or [])
        text = filled.table.text()
        if out is None:
            print(text, end="")
        else:
            replace_file(out, text.encode())
    for grade in blank:
        print(f"blank: {grade.student}, {grade.assignment}: {grade.why}", file=sys.stderr)
    for note in (*filled.notes, *told):
        print(f"note: {note}", file=sys.stderr)


def _filled(
    course: Course,
    grades: Grades,
    to: Format,
    template: Path | None,
    titles: dict[str, str],
    roster: Path | None,
    asked: Sequence[str],
) -> Filled:
    if to is Format.CSV:
        return long_table(grades)
    if template is None:
        if to is Format.MOODLE:
            return own_moodle(grades)
        raise CourseError(
            "Canvas finds students and columns by numbers of its own: export its gradebook and name it with --template"
        )
    fill = fill_canvas if to is Format.CANVAS else fill_moodle
    return fill(read_table(template), grades, _roster(course, roster, grades), titles, asked)


def _titles(columns: Sequence[str]) -> dict[str, str]:
    pairs = dict(text.partition("=")[::2] for text in columns)
    if wrong := [text for text in columns if not all(part.strip() for part in text.partition("="))]:
        raise CourseError(f"--column takes ASSIGNMENT=TITLE, and {wrong[0]!r} is not that")
    return pairs


def _roster(course: Course, path: Path | None, grades: Grades) -> Roster:
    usual = course.run_root / ROSTER
    if path is not None or usual.is_file():
        return read_lms_roster(path or usual)
    return known_people(
        {
            "id": who.student,
            "first_name": who.first_name,
            "last_name": who.last_name,
            "email": who.email,
            "lms_user_id": who.number,
        }
        for who in grades.learners
    )


@app.command("return")
def return_feedback(
    assignment: str,
    out: Annotated[Path, typer.Option(help="The zip file to write, for the LMS to take.")],
    root: Root = None,
) -> None:
    """Put the feedback on what came from an LMS into a zip file that it takes."""
    with plain_errors():
        course = find_course(root)
        if assignment not in course.assignments():
            raise CourseError(f"there is no assignment {assignment!r}")
        if refusal := feedback_refusal(course, assignment, datetime.now(UTC)):
            raise CourseError(refusal)
        decisions = read_listing(downloads(course, assignment))
        found = list(returns(course, assignment, decisions, gradebook_address(course)[0]))
        if not found:
            raise CourseError(f"nothing in downloaded/{assignment} has been collected; nbgrader zip_collect {assignment} does")
        given = [one for one in found if not one.why]
        if given:
            write_returns(out, given)
    for one in found:
        if one.why:
            print(f"course: nothing for {one.student}: {one.why}", file=sys.stderr)
    print(f"{len(given)} of {len(found)} students' feedback is in {out}" if given else "Nothing was written.")
    raise typer.Exit(0 if given else 1)
