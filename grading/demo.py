"""The sample cohort: notebooks made from the release and the zoo, with all that a class hands in."""

from __future__ import annotations

import copy
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode

from grading.build import release_notebook
from grading.course import Course, Plan, course_secret, load_plan, personal_plan, solved_files
from grading.notebooks import grade_id, is_answer, is_graded, write
from grading.trial import own_cell, solved_with, take_apart


class NoCohort(Exception):
    """What the sample cohort is made of is not there, or is not as it must be."""


def plans_with_cohorts(course: Course) -> list[Plan]:
    """The plans of all assignments that have a sample cohort."""
    zoo = course.root / "tests" / "zoo"
    return [load_plan(course, name) for name in course.assignments() if (zoo / name / "cohort.toml").is_file()]


def make_cohorts(course: Course, plans: Iterable[Plan], inbox: Path) -> int:
    """Write the sample cohorts of assignments into an inbox made anew; how many submissions there are. Raises NoCohort."""
    cohorts = [(plan, cohort_of(course, plan)) for plan in plans]
    shutil.rmtree(inbox, ignore_errors=True)
    for plan, students in cohorts:
        for student, files in students.items():
            folder = inbox / student / plan.assignment.name
            folder.mkdir(parents=True)
            for name, content in files.items():
                (folder / name).write_bytes(content)
    return sum(len(students) for _, students in cohorts)


def cohort_of(course: Course, plan: Plan) -> dict[str, dict[str, bytes]]:
    """The files that each student of an assignment's sample cohort hands in. Raises NoCohort."""
    zoo = course.root / "tests" / "zoo" / plan.assignment.name
    try:
        students = tomllib.loads((zoo / "cohort.toml").read_text())["students"]
        beside = solved_files(course, plan.assignment)
        secret = course_secret(course) if plan.template else b""
        return {s: _files(personal_plan(plan, secret, s), zoo, made_of, beside) for s, made_of in students.items()}
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise NoCohort(f"the sample cohort of {plan.assignment.name} cannot be made: {error}") from error


def _files(plan: Plan, zoo: Path, made_of: Mapping[str, Any], beside: Mapping[str, bytes]) -> dict[str, bytes]:
    notebook = {f"{plan.assignment.name}.ipynb": _content(plan, zoo, made_of)}
    return notebook | (dict(beside) if made_of.get("files", True) else {})


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
