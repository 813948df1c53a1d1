"""The commands of ./course that are about exams: papers, whose they are, and feedback once everybody has finished."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from grading.cli import Root, app
from grading.complaints import plain_errors
from grading.course import Course, course_secret, find_course, has_secret, personal_plan
from grading.feedback import make_feedback
from grading.papers import checked, gradebook_students, owner_of, paper_text, personal_assignment, read_roster, write_papers
from grading.times import read_times

Exam = Annotated[str | None, typer.Option("--assignment", help="The exam; needed where the course has several.")]
Roster = Annotated[Path | None, typer.Option(help="A name a line, or a table with student_id; nbgrader's students else.")]


@app.command()
def paper(
    student: str,
    assignment: Exam = None,
    key: Annotated[bool, typer.Option("--key", help="The key with all reasons, in place of the paper.")] = False,
) -> None:
    """Print a student's paper as Markdown; the practice paper for the name `practice`."""
    with plain_errors():
        course = find_course()
        (name,) = checked([student.strip()], "the command")
        exam = personal_assignment(course, assignment)
        tell_of_a_new_secret(course)
        plan = personal_plan(exam, course_secret(course), name)
        print(plan.sheet if key else paper_text(plan))


@app.command()
def papers(
    out: Annotated[Path, typer.Option(help="Folder to write to: OUT/<student>/<exam>/<exam>.ipynb and a page.")],
    roster: Roster = None,
    assignment: Exam = None,
    root: Root = None,
) -> None:
    """Write a notebook and a printable page for every student."""
    with plain_errors():
        course = find_course(root)
        plan = personal_assignment(course, assignment)
        students = students_of(course, roster)
        tell_of_a_new_secret(course)
        times = read_times(course, plan.assignment.name)
        for stranger in times.strangers(students) if times else ():
            print(f"course: exam_times.toml has times for {stranger}, who is not on the roster", file=sys.stderr)
        for student in write_papers(course, plan, students, out):
            print(student)


@app.command()
def whose(code: str, roster: Roster = None, assignment: Exam = None, root: Root = None) -> None:
    """Say whose paper carries a code."""
    with plain_errors():
        course = find_course(root)
        found = owner_of(course, personal_assignment(course, assignment), code, students_of(course, roster))
        print(found or "nobody's of these students; has the pool or the secret changed since it was given out?")
    raise typer.Exit(0 if found else 1)


@app.command()
def feedback(assignment: str, root: Root = None) -> None:
    """Make the students' feedback pages with nbgrader; on an exam, once the last student has finished."""
    with plain_errors():
        make_feedback(find_course(root), assignment, datetime.now(UTC))


def tell_of_a_new_secret(course: Course) -> None:
    """Say so where papers are about to be drawn from a secret that nobody has had yet."""
    if not has_secret(course):
        told = "papers are drawn, and graded, by a new .course_secret; keep it until everything has been graded"
        print(f"course: {told}", file=sys.stderr)


def students_of(course: Course, roster: Path | None) -> list[str]:
    """The students of a roster, or else of nbgrader's gradebook."""
    return gradebook_students(course) if roster is None else read_roster(roster)
