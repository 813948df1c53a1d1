"""Lays out a new assignment: its source notebook, its checks, the first answers of its zoo, and a sample cohort."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined
from nbformat.notebooknode import NotebookNode

from grading.course import Course, CourseError
from grading.notebooks import write

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_OF_THE_ZOO = ("right_plain.py", "wrong_sum.py", "cohort.toml")


def lay_out(course: Course, name: str) -> list[Path]:
    """Write the files of a new assignment; their paths. Raises CourseError, having written nothing, for a name that cannot be."""
    if not _NAME.fullmatch(name) or len(name) > 40:
        rule = "small letters, digits and single underscores, at most 40, as in m6_positions"
        raise CourseError(f"{name!r} cannot name an assignment: {rule}")
    contents = texts(course, name)
    for path in contents:
        if path.exists():
            raise CourseError(f"{path.relative_to(course.root)} is there already")
    for path, content in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return list(contents)


def texts(course: Course, name: str) -> Mapping[Path, str]:
    """What is written where."""
    zoo, checks = course.root / "tests" / "zoo" / name, course.root / "grader_tests" / f"{name}.py"
    places = {"checks.py": checks} | {template: zoo / template for template in _OF_THE_ZOO}
    environment = Environment(loader=PackageLoader("grading.outline", "."), undefined=StrictUndefined, keep_trailing_newline=True)
    filled = {place: environment.get_template(f"{template}.jinja").render(name=name) for template, place in places.items()}
    return {course.source / name / f"{name}.ipynb": write(notebook(name)), **filled}


def notebook(name: str) -> NotebookNode:
    """A source notebook with one exercise."""
    cells = [
        markdown("title", f"# {name}\n\nWhat this notebook is about, in three sentences. Say how long it takes."),
        code("imports", "import torch"),
        markdown("average-text", _EXERCISE),
        code("average-answer", _ANSWER, grade_id=f"{name}_average_answer", solution=True, locked=False),
        code("average-graded", _GRADED.format(name=name), grade_id=f"{name}_average", grade=True, points=2),
        markdown("recap", "# Recap\n\nBefore you hand in: restart the kernel and run all cells."),
    ]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    made: NotebookNode = nbformat.from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
    return made


_EXERCISE = """## Exercise: `average` (2 points)

`average(values)` takes rows `(..., n, d)` and returns their mean `(..., d)`: what attention reads where all scores are equal. One
point for the values, one for leaving the argument and its dtype alone."""

_ANSWER = """def average(values: torch.Tensor) -> torch.Tensor:
    # The mean of the rows.
    ### BEGIN SOLUTION
    return values.mean(dim=-2)
    ### END SOLUTION"""

_GRADED = """two_rows = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
found = average(two_rows)
assert tuple(found.shape) == (3,), f"Rows of width 3 have a mean of width 3; yours has {{tuple(found.shape)}}."
assert torch.allclose(found, torch.full((3,), 2.0)), f"The mean of these two rows is 2, 2, 2; yours is {{found}}."

### BEGIN HIDDEN TESTS
from grader_tests import check
check("{name}_average")
### END HIDDEN TESTS"""


def markdown(cell_id: str, source: str) -> dict[str, Any]:
    """A text cell."""
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": source}


def code(cell_id: str, source: str, **nbgrader: Any) -> dict[str, Any]:
    """A code cell, with nbgrader's metadata where it has a grade id."""
    rules = {"grade": False, "locked": True, "schema_version": 3, "solution": False, "task": False, **nbgrader}
    metadata = {"nbgrader": rules} if nbgrader else {}
    return {"cell_type": "code", "id": cell_id, "metadata": metadata, "source": source, "outputs": [], "execution_count": None}
