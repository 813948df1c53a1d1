"""`./course similar`: whose answers are alike, as a page and a table; it changes no grade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from grading.build import release_notebook
from grading.cli import Root, app
from grading.complaints import plain_errors
from grading.course import Course, CourseError, Plan, course_secret, find_course, load_plan, personal_plan
from grading.files import replace_file
from grading.notebooks import UnreadableNotebook, open_notebook
from grading.rebuild import rebuild
from grading.report.table import printable
from grading.report.words import percent
from grading.submission import collect, find_submissions

if TYPE_CHECKING:
    from grading.similarity import Pair, Passage

SHOWN = 20


@app.command()
def similar(
    assignment: str,
    most: Annotated[int, typer.Option(help="So many pairs, the longest common pieces first, come on the page.", min=1)] = 100,
    root: Root = None,
) -> None:
    """Show whose answers to an assignment are alike, both texts side by side; it accuses nobody and changes no grade."""
    from grading.report.pairs import render_pairs  # brings matplotlib along, which nothing else needs
    from grading.similarity import Writing, compare, passages_of

    with plain_errors():
        course = find_course(root)
        plan = load_plan(course, assignment)
        texts, unread = texts_of(course, plan)
        known = [*passages_of(release_notebook(plan.blueprint.notebook)), *passages_of(plan.blueprint.notebook)]
        found = compare([Writing(student, cells) for student, cells in texts.items()], known)
        page = course.autograded / f"similar-{assignment}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        replace_file(page, render_pairs(assignment, len(texts), found, most, unread).encode())
    Console().print(table_of(found.pairs[:SHOWN], f"Answers that are alike: {len(found.pairs)} pairs among {len(texts)} texts"))
    for group in found.groups[:SHOWN]:
        names = ", ".join(map(printable, group.students))
        print(f"shared by many, and so in no pair: {group.pair.shared} characters, by {len(group.students)} students: {names}")
    for student, reason in unread.items():
        print(f"not compared: {printable(student)}: {reason}")
    print(f"page: {page}")


def table_of(pairs: Sequence[Pair], title: str) -> Table:
    """Pairs for a terminal."""
    table = Table(title=title, title_justify="left")
    for column in ("student", "of whose text", "student", "of whose text", "in common"):
        table.add_column(column, overflow="fold")
    for pair in pairs:
        sides = (cell for side in pair.sides for cell in (printable(side.writing.student), percent(side.share)))
        table.add_row(*sides, f"{pair.shared} characters")
    return table


def texts_of(course: Course, plan: Plan) -> tuple[dict[str, tuple[Passage, ...]], dict[str, str]]:
    """What each student wrote, and why some could not be read. Raises CourseError where nobody handed anything in."""
    texts: dict[str, tuple[Passage, ...]] = {}
    unread: dict[str, str] = {}
    for student, cells, reason in read_all(course, plan):
        if reason:
            unread[student] = reason
        else:
            texts[student] = cells
    if not texts and not unread:
        raise CourseError(f"nobody has handed in {plan.assignment.name}: {course.submitted} holds no such folder")
    return texts, unread


def read_all(course: Course, plan: Plan) -> Iterator[tuple[str, tuple[Passage, ...], str]]:
    """A student, what they wrote, and why it cannot be read, or nothing."""
    from grading.similarity import own_cells

    secret = course_secret(course) if plan.template is not None else b""
    for student, folder in find_submissions(course.submitted, plan.assignment.name):
        submission = collect(student, folder, plan.assignment)
        if submission.content is None:
            yield student, (), submission.reason
            continue
        try:
            opened = open_notebook(submission.content)
        except UnreadableNotebook as error:
            yield student, (), str(error)
            continue
        yield student, own_cells(rebuild(opened.notebook, personal_plan(plan, secret, student).blueprint)), ""
