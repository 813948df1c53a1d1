"""Try an answer: put the definitions of a Python file into the solved notebook, as if a student had handed that in. Pure."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import nbformat
from nbformat.notebooknode import NotebookNode

from grading.course import Plan
from grading.notebooks import is_answer, write
from grading.submission import Submission


def as_submission(plan: Plan, name: str, text: str, files: Mapping[str, bytes] | None = None) -> Submission:
    """What a student called `name` would have handed in with these answers; a file that is no Python has a reason instead.

    `files` are handed in beside the notebook.
    """
    names = {used for check in plan.assignment.checks for used in check.uses}
    try:
        notebook = solved_with(plan.blueprint.notebook, take_apart(text, names), names)
    except UnusableFile as error:
        return Submission(name, plan.assignment.name, None, f"{error}.")
    except RecursionError:
        return Submission(name, plan.assignment.name, None, "The file is nested too deeply.")
    return Submission(name, plan.assignment.name, write(notebook).encode(), files=files or {})


class UnusableFile(Exception):
    """The file is no Python text."""


@dataclass
class AnswerFile:
    """A file taken apart: the text that defines each name of the assignment, and everything else."""

    definitions: dict[str, list[str]] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)


def take_apart(text: str, names: Collection[str]) -> AnswerFile:
    """Sort a file's top-level statements: those that bind one of `names`, and the rest. Raises UnusableFile."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # the last two for what is nested too deeply
        raise UnusableFile(f"the file is no Python: {error}") from error
    answer = AnswerFile()
    body = module.body if ast.get_docstring(module) is None else module.body[1:]
    for statement in body:
        bound = [name for name in bound_names(statement) if name in names]
        segment = source_of(statement, text)
        if bound:
            answer.definitions.setdefault(bound[0], []).append(segment)
            for other in bound[1:]:
                answer.definitions.setdefault(other, [])
        else:
            answer.rest.append(segment)
    return answer


def bound_names(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement binds in its own scope: definitions, assignments, imports, also inside if, try, with and for."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.split(".")[0] for alias in statement.names)
        return
    for child in ast.iter_child_nodes(statement):
        yield from _bound_in(child)


def _bound_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.stmt):
        yield from bound_names(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif not isinstance(node, (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)):
        for child in ast.iter_child_nodes(node):
            yield from _bound_in(child)


def source_of(statement: ast.stmt, text: str) -> str:
    """A statement's own text with its decorators; rewritten where it shares a line with another."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # as Python counts lines: a form feed ends none
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    segment = "\n".join(lines[first - 1 : statement.end_lineno])
    try:
        alone = len(ast.parse(segment).body) == 1
    except SyntaxError:
        alone = False
    return segment if alone else ast.unparse(statement)


def solved_with(source: NotebookNode, answer: AnswerFile, names: Collection[str]) -> NotebookNode:
    """The solved notebook with the file's definitions in the place of its own; the rest runs before the first of them."""
    notebook = copy.deepcopy(source)
    owners = owning_cells(notebook, names)
    first = min((owners[name] for name in answer.definitions if name in owners), default=None)
    for position in {owners[name] for name in answer.definitions if name in owners}:
        new = {name: "\n\n".join(s) for name, s in answer.definitions.items() if owners.get(name) == position}
        cell = notebook.cells[position]
        cell.source = replace_definitions(cell.source, new)
    if answer.rest:
        place = first if first is not None else min(owners.values(), default=len(notebook.cells))
        notebook.cells.insert(place, own_cell("\n".join(answer.rest)))
    return notebook


def owning_cells(notebook: NotebookNode, names: Collection[str]) -> Mapping[str, int]:
    """The position of the answer cell that defines each name."""
    owners: dict[str, int] = {}
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and is_answer(cell):
            for statement in ast.parse(cell.source).body:
                owners.update({name: position for name in bound_names(statement) if name in names and name not in owners})
    return owners


def replace_definitions(text: str, new: Mapping[str, str]) -> str:
    """A cell's text with the last definition of each name replaced, and earlier ones of it dropped."""
    statements = ast.parse(text).body
    mine = [[name for name in bound_names(s) if name in new] for s in statements]
    last = {name: i for i, names in enumerate(mine) for name in names}
    parts: list[str] = []
    for i, statement in enumerate(statements):
        replaced = [new[name] for name in dict.fromkeys(mine[i]) if last[name] == i]
        parts += replaced if mine[i] else [source_of(statement, text)]
    return "\n\n".join(filter(None, parts))


def own_cell(text: str) -> NotebookNode:
    """A code cell of the student's own."""
    plain: dict[str, object] = {
        "cell_type": "code",
        "id": "own",
        "metadata": {},
        "source": text,
        "outputs": [],
        "execution_count": None,
    }
    return nbformat.from_dict(plain)
