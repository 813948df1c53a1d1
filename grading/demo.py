"""The sample cohort: notebooks made from the release and the zoo, with all that a class hands in."""

from __future__ import annotations

import copy
import shutil
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode

from grading.build import release_notebook
from grading.course import Course, Plan, course_secret, load_plan, personal_plan
from grading.notebooks import grade_id, is_answer, is_graded, write
from grading.trial import own_cell, solved_with, take_apart


class NoCohort(Exception):
    """What the sample cohort is made of is not there, or is not as it must be."""


def first_with_cohort(course: Course) -> str:
    """The first assignment, the same for all students, that has a sample cohort. Raises NoCohort."""
    with_cohort = (name for name in course.assignments() if (course.root / "tests" / "zoo" / name / "cohort.toml").is_file())
    found = next((name for name in with_cohort if load_plan(course, name).template is None), None)
    if found is None:
        raise NoCohort("no assignment has a sample cohort")
    return found


def make_cohort(course: Course, plan: Plan, inbox: Path) -> int:
    """Write an assignment's sample cohort into an inbox that is made anew; how many submissions it has. Raises NoCohort."""
    zoo = course.root / "tests" / "zoo" / plan.assignment.name
    try:
        students = tomllib.loads((zoo / "cohort.toml").read_text())["students"]
        secret = course_secret(course) if plan.template else b""
        contents = {s: _content(personal_plan(plan, secret, s), zoo, made_of) for s, made_of in students.items()}
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise NoCohort(f"the sample cohort of {plan.assignment.name} cannot be made: {error}") from error
    shutil.rmtree(inbox, ignore_errors=True)
    for student, content in contents.items():
        folder = inbox / student / plan.assignment.name
        folder.mkdir(parents=True)
        (folder / f"{plan.assignment.name}.ipynb").write_bytes(content)
    return len(contents)


def _content(plan: Plan, zoo: Path, made_of: Mapping[str, Any]) -> bytes:
    if "text" in made_of:
        return str(made_of["text"]).encode()
    answer = (zoo / made_of["answer"]).read_text() if "answer" in made_of else ""
    if made_of.get("base") == "release":
        notebook = release_notebook(plan.blueprint.notebook)
        if answer:
            notebook.cells.insert(0, own_cell(answer))
    else:
        notebook = hand_in(plan, answer)
    return write(_CHANGES[made_of["change"]](notebook) if "change" in made_of else notebook).encode()


def hand_in(plan: Plan, answer: str) -> NotebookNode:
    """The released notebook with the solved answers in it, save those that a zoo file replaces: what a student would hand in."""
    names = {name for check in plan.assignment.checks for name in check.uses}
    solved = solved_with(without_markers(plan.blueprint.notebook), take_apart(answer, names), names)
    released = {g: cell for cell in release_notebook(plan.blueprint.notebook).cells if (g := grade_id(cell))}
    for position, cell in enumerate(solved.cells):
        named = grade_id(cell)
        if named in released and not is_answer(cell):
            solved.cells[position] = released[named]
    return solved


def without_markers(notebook: NotebookNode) -> NotebookNode:
    """The solved notebook without nbgrader's markers, as if a student had written it."""
    plain = copy.deepcopy(notebook)
    for cell in plain.cells:
        if is_answer(cell):
            cell.source = "\n".join(line for line in cell.source.splitlines() if not line.strip().startswith("### "))
    return plain


def _duplicated(notebook: NotebookNode) -> NotebookNode:
    """The first answer stands twice, as after a copy and paste."""
    at = next(i for i, cell in enumerate(notebook.cells) if is_answer(cell) and is_graded(notebook.cells[i + 1]))
    notebook.cells.insert(at + 1, copy.deepcopy(notebook.cells[at]))
    return notebook


def _deleted(notebook: NotebookNode) -> NotebookNode:
    """The first graded cell is gone, and the last with its answer."""
    first, *_, last = [i for i, cell in enumerate(notebook.cells) if is_graded(cell)]
    notebook.cells = [cell for i, cell in enumerate(notebook.cells) if i not in (first, last, last - 1)]
    return notebook


_CHANGES: Mapping[str, Callable[[NotebookNode], NotebookNode]] = {"duplicated": _duplicated, "deleted": _deleted}
