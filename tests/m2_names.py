"""The names that the solved notebook of m2_variance defines, with the definitions of a zoo answer in their place."""

from __future__ import annotations

from functools import cache
from typing import Any

from grading.course import find_course, load_plan
from grading.notebooks import grade_id
from grading.runners import plain_python
from tests.zoo_answers import ZOO

NAME = "m2_variance"


@cache
def solved_cells() -> tuple[str, ...]:
    """The texts of the imports and of the solved answers."""
    plan = load_plan(find_course(), NAME)
    wanted = {f"{cell}_answer" for cell in plan.assignment.points}
    cells = plan.blueprint.notebook.cells
    return tuple(plain_python(c.source) for c in cells if c.id == "imports" or grade_id(c) in wanted)


def names_with(text: str = "") -> dict[str, Any]:
    """The solved notebook's names; those that `text` defines are the text's, for the solved ones that build on them too."""
    names: dict[str, Any] = {}
    for cell in (*solved_cells(), text):
        exec(cell, names)
    return names


def names_of(answer: str) -> dict[str, Any]:
    """The names of one zoo answer, by its file's name."""
    return names_with((ZOO / NAME / f"{answer}.py").read_text())
