"""A released notebook needs nothing but torch, numpy and matplotlib beside Python, and what lies in its own folder."""

from __future__ import annotations

import ast
import sys

import nbformat
import pytest

from grading.course import find_course

COURSE = find_course()
OFFERED = {"torch", "numpy", "matplotlib"}


def imported(source: str) -> set[str]:
    """Top-level names of modules that a cell imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or ".").partition(".")[0])
    return found


@pytest.mark.parametrize("name", COURSE.assignments())
def test_nothing_else_is_imported(name: str) -> None:
    folder = COURSE.release / name
    cells = nbformat.read(folder / f"{name}.ipynb", as_version=4).cells
    found = set().union(*(imported(cell.source) for cell in cells if cell.cell_type == "code"))
    assert "torch" in found
    assert found - set(sys.stdlib_module_names) - {path.stem for path in folder.glob("*.py")} <= OFFERED
