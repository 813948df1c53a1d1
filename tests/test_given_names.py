"""No given cell binds a name that a student would give to a function of their own: their answers would call the cell's value."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator

import pytest

from grading.course import find_course, load_plan
from grading.notebooks import is_answer, visible_text

COURSE = find_course()
# m5_date_rematch is not among them: its given cells follow one step of a model, tensor by tensor, and its solution is a long run.
NOTEBOOKS = sorted(path.stem for pattern in ("m[1-4]_*", "stretch_*") for path in COURSE.source.glob(f"{pattern}/*.ipynb"))
WORDS = """
draw sample samples sampler measure score scores dot dots dot_products attend query key value queries keys values pad pads padding
raw scaled scale divisor fill filled mask masked valid triangle causal softmax log_softmax probs probabilities weight weights
mean average variance std norm norms product products covariance row rows table pair pairs batch batched order shape step logits
logits_of loss losses output context memory state tokens token project project_query project_key projections rule share shares
law laws uniform normal gaussian largest diagonal error leak leaks gap size shown style jacobian term
"""
LIKELY = frozenset(string.ascii_letters) | frozenset(WORDS.split())


def bound_names(node: ast.AST) -> Iterator[str]:
    """Names that a cell binds beside the function bodies and comprehensions in it, whose names are their own."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            yield part.name
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif not isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
            yield from bound_names(part)


def given_cells(name: str) -> Iterator[str]:
    """The code of the cells after the first answer that are given, as a student has it."""
    answered = False
    for cell in load_plan(COURSE, name).blueprint.released.cells:
        if is_answer(cell):
            answered = answered or "def " in cell.source
        elif answered and cell.cell_type == "code":
            yield visible_text(cell.source)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_given_cell_binds_what_a_helper_may_be_called(name: str) -> None:
    bound = {found for code in given_cells(name) for found in bound_names(ast.parse(code))}
    assert bound, "given cells bind something"
    assert sorted(bound & LIKELY) == []
