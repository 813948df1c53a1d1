"""What may be wrong with a source notebook and its folder; a build with any of it writes nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from grading.checks import total_points
from grading.course import Plan
from grading.notebooks import grade_id, is_answer, is_graded, is_machine_graded, nbgrader_metadata

_NEVER_COPIED = (".ipynb_checkpoints", "__pycache__")


def source_faults(plan: Plan, folder: Path) -> Iterator[str]:
    """Everything that is wrong with a source notebook and its folder, each as a line that names the cell."""
    name, assignment = plan.assignment.name, plan.assignment
    yield from _folder_faults(name, folder, {f"{name}.ipynb", *assignment.given})
    graded = {g: c for c in plan.blueprint.notebook.cells if is_machine_graded(c) and (g := grade_id(c))}
    for cell in plan.blueprint.notebook.cells:
        yield from _cell_faults(name, cell)
    for cell_id, cell in graded.items():
        yield from _graded_faults(plan, cell_id, cell)
    for check in assignment.checks:
        if check.cell not in graded:
            yield f"{name}: the check {check.name} has no cell {check.cell!r} in the notebook"
    for cell_id in sorted(set(assignment.points) - set(graded)):
        yield f"{name}: points are agreed for {cell_id!r}, but the notebook has no such graded cell"
    yield from _manual_faults(plan)
    if assignment.retraining and assignment.retraining.cell not in {c.get("id") for c in plan.blueprint.notebook.cells}:
        yield f"{name}: the training to repeat ends at the cell {assignment.retraining.cell!r}, which the notebook has not"


def _folder_faults(name: str, folder: Path, listed: set[str]) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not set(inside.parts) & set(_NEVER_COPIED) and not path.is_dir() and str(inside) not in listed:
            yield f"{name}: source/{name}/{inside} is not listed among the given files; students would get it"
    for file in sorted(listed):
        if not (folder / file).is_file():
            yield f"{name}: source/{name}/{file} is listed and missing"


def _cell_faults(name: str, cell: NotebookNode) -> Iterator[str]:
    title = grade_id(cell) or cell.get("id", "?")
    if cell.cell_type == "code" and (cell.outputs or cell.execution_count is not None):
        yield f"{name}: the cell {title!r} has outputs; clear them in source/"
    for region in ("SOLUTION", "HIDDEN TESTS"):
        if not _is_closed(cell.source, region):
            yield f"{name}: the cell {title!r} has a {region} region that is not closed, or not begun"
    if "BEGIN SOLUTION" in cell.source and not is_answer(cell):
        yield f"{name}: the cell {title!r} holds a solution but is no answer cell"
    if "BEGIN HIDDEN TESTS" in cell.source and not is_machine_graded(cell):
        yield f"{name}: the cell {title!r} holds hidden tests but is no graded cell"
    if is_graded(cell) and not is_machine_graded(cell) and not is_answer(cell):
        yield f"{name}: the graded cell {title!r} is neither code nor an answer"


def _is_closed(source: str, region: str) -> bool:
    """Whether every BEGIN of a region is followed by its END; nbgrader stops without naming the cell, or does not mind."""
    marks = re.findall(rf"(BEGIN|END) {region}", source)
    return marks == ["BEGIN", "END"] * (len(marks) // 2)


def _graded_faults(plan: Plan, cell_id: str, cell: NotebookNode) -> Iterator[str]:
    name, assignment = plan.assignment.name, plan.assignment
    if not ends_with_check(cell.source, cell_id):
        yield f'{name}: the graded cell {cell_id!r} has no hidden check: its hidden part must end with check("{cell_id}")'
    if not assignment.checks_of(cell_id):
        yield f"{name}: the graded cell {cell_id!r} has no check in grader_tests/{name}.py"
    points = {
        "the notebook": float(nbgrader_metadata(cell).get("points", 0)),
        "its checks": total_points(assignment.checks_of(cell_id)),
        "the agreed points": float(assignment.points.get(cell_id, 0)),
    }
    if len(set(points.values())) > 1:
        told = ", ".join(f"{value:g} in {where}" for where, value in points.items())
        yield f"{name}: the points of {cell_id!r} do not add up: {told}"


def _manual_faults(plan: Plan) -> Iterator[str]:
    name, agreed = plan.assignment.name, plan.assignment.manual_points
    found = {
        g: float(nbgrader_metadata(c).get("points", 0))
        for c in plan.blueprint.notebook.cells
        if is_graded(c) and is_answer(c) and (g := grade_id(c))
    }
    for cell_id in sorted({*found, *agreed}):
        if found.get(cell_id) != agreed.get(cell_id):
            yield f"{name}: {cell_id!r} has {found.get(cell_id)} manual points in the notebook, {agreed.get(cell_id)} are agreed"


def ends_with_check(source: str, cell_id: str) -> bool:
    """Whether a cell's last expression, inside its hidden region, is `check("<its own grade id>")`."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return False
    begin, end = source.find("### BEGIN HIDDEN TESTS"), source.find("### END HIDDEN TESTS")
    call = f'check("{cell_id}")'
    is_last = bool(statements) and isinstance(statements[-1], ast.Expr) and ast.get_source_segment(source, statements[-1]) == call
    return is_last and 0 <= begin < source.rfind(call) < end


def shared_grade_ids(plans: Mapping[str, Plan]) -> Iterator[str]:
    """Grade ids that stand twice in the course: the hidden line names a cell by its grade id alone."""
    seen: dict[str, str] = {}
    for name, plan in plans.items():
        ids = [g for cell in plan.blueprint.notebook.cells if (g := grade_id(cell))]
        for found in ids:
            if found in seen:
                yield f"{name}: the grade id {found!r} stands in {seen[found]} too; grade ids are unique in the course"
            seen[found] = name
