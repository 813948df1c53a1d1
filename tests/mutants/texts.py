"""Mutants of one text: where in it mutations are made, and what each mutant is called."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from tests.mutants.calls import call_mutations
from tests.mutants.expressions import expression_mutations, number_mutations
from tests.mutants.form import Mutation, Scope, value_of
from tests.mutants.statements import data_mutations, is_data, is_docstring, order_mutations, statement_mutations

_BEGIN, _END = "BEGIN SOLUTION", "END SOLUTION"


@dataclass(frozen=True)
class TextMutant:
    """A text with one fault. `was` and `becomes` are the lines that differ, each on one line; `number` counts equal ones."""

    function: str
    kind: str
    was: str
    becomes: str
    number: int
    text: str


def text_mutants(text: str, name: str) -> list[TextMutant]:
    """All mutants of a text that differ in meaning as far as Python's grammar can tell; `name` is that of code in no function."""
    wrapper = MetadataWrapper(cst.parse_module(text))
    walk = _Walk(text, wrapper)
    seen = {ast.dump(ast.parse(text))}
    found: list[TextMutant] = []
    counts = Counter[tuple[str, str, str]]()
    for scope, mutation, path in walk.mutations((wrapper.module,), Scope(name)):
        changed = _replaced(path, mutation)
        meaning = _meaning(changed)
        if meaning is None or meaning in seen:
            continue
        seen.add(meaning)
        was, becomes = differing(text, changed)
        counts[scope.name, was, becomes] += 1
        found.append(TextMutant(scope.name, mutation.kind, was, becomes, counts[scope.name, was, becomes], changed))
    return found


def differing(old: str, new: str) -> tuple[str, str]:
    """The statements in which two texts differ, each text's on one line; of compound statements the heads."""
    before, after = old.splitlines(), new.splitlines()
    shortest = min(len(before), len(after))
    start = next((i for i in range(shortest) if before[i] != after[i]), shortest)
    end = len(before) - next((i for i in range(shortest - start) if before[-1 - i] != after[-1 - i]), shortest - start)
    if start == end and start > 0:  # lines came in: told with the line before them
        start -= 1
    elif len(after) - (len(before) - end) == start:  # lines went: told with the line after them
        end = min(end + 1, len(before))
    for first, last in _spans(old):
        if first < end and start < last:  # a statement goes over several lines
            start, end = min(start, first), max(end, last)
    return _one_line(before[start:end]), _one_line(after[start : len(after) - (len(before) - end)])


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Lines of each statement, as in a slice: of a compound one those of its head."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            yield node.lineno - 1, body[0].lineno - 1 if body else node.end_lineno or node.lineno


def _one_line(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip() and not line.strip().startswith("#"))


def _replaced(path: Sequence[cst.CSTNode], mutation: Mutation) -> str:
    """The text after a mutation of the last node of a path, or of a part of that node; only the path is made anew."""
    *above, here = path
    new = mutation.new if mutation.old is here else here.deep_replace(mutation.old, mutation.new)
    for parent in reversed(above):
        here, new = parent, _with_child(parent, here, new)
    return cst.Module([]).code_for_node(new)


def _with_child(parent: cst.CSTNode, old: cst.CSTNode, new: cst.CSTNode) -> cst.CSTNode:
    for field in fields(parent):
        value = getattr(parent, field.name)
        if value is old:
            return parent.with_changes(**{field.name: new})
        if isinstance(value, (list, tuple)) and any(part is old for part in value):
            return parent.with_changes(**{field.name: [new if part is old else part for part in value]})
    raise LookupError(f"a {type(parent).__name__} has no such part")


def _meaning(text: str) -> str | None:
    """The syntax tree of a text; None where it does not compile, or Python warns of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse(text)
            compile(tree, "<mutant>", "exec")
    except (SyntaxError, ValueError):
        return None
    return ast.dump(tree)


class _Walk:
    """Goes through a text's syntax tree; makes mutations in its solution alone, or everywhere where none is marked."""

    def __init__(self, text: str, wrapper: MetadataWrapper) -> None:
        self._positions = wrapper.resolve(PositionProvider)
        self._lines = _solution_lines(text)

    def mutations(self, path: tuple[cst.CSTNode, ...], scope: Scope) -> Iterator[tuple[Scope, Mutation, tuple[cst.CSTNode, ...]]]:
        """All mutations of the node that a path ends in and of its parts, each with the scope and the path that it belongs to.

        Annotations, docstrings, names that are bound, and messages stay as they are.
        """
        node = path[-1]
        if isinstance(node, (cst.Annotation, cst.Raise, cst.Import, cst.ImportFrom)) or is_docstring(node):
            return
        inner = self._scope_of(node, scope)
        if isinstance(node, cst.Param) and node.default is not None and value_of(node.default) is not None:
            yield from ((scope, mutation, path) for mutation in number_mutations(node.default, "default"))
            return
        if self._may_change(node):
            yield from ((inner, mutation, path) for mutation in self._here(node, inner))
        if value_of(node) is None:  # a number's sign is part of it
            for child in _parts(node):
                yield from self.mutations((*path, child), inner)

    def _here(self, node: cst.CSTNode, scope: Scope) -> Iterator[Mutation]:
        if isinstance(node, cst.Call):
            yield from call_mutations(node)
        if isinstance(node, (cst.IndentedBlock, cst.Module)):
            yield from self._exchanges(node)
        if is_data(node):
            yield from data_mutations(node)
        yield from statement_mutations(node)
        yield from expression_mutations(node, scope.bound_before(self._line(node)))
        if isinstance(node, cst.Comparison):
            yield from _text_mutations(node)

    def _exchanges(self, block: cst.IndentedBlock | cst.Module) -> Iterator[Mutation]:
        """Exchanged statements, where both stand in the solution."""
        for mutation in order_mutations(block):
            moved = [old for old, new in zip(block.body, mutation.new.body, strict=True) if old is not new]
            if all(self._inside(line) for line in moved):
                yield mutation

    def _may_change(self, node: cst.CSTNode) -> bool:
        return isinstance(node, (cst.IndentedBlock, cst.Module)) or self._inside(node) or _holds_decorators(node)

    def _inside(self, node: cst.CSTNode) -> bool:
        return self._line(node) in self._lines

    def _line(self, node: cst.CSTNode) -> int:
        return self._positions[node].start.line if node in self._positions else 0

    def _scope_of(self, node: cst.CSTNode, scope: Scope) -> Scope:
        if isinstance(node, cst.ClassDef):
            return Scope(node.name.value)
        if not isinstance(node, cst.FunctionDef):
            return scope
        outer = scope.name if scope.name[:1].isupper() or scope.names else ""
        return Scope(f"{outer}.{node.name.value}".lstrip("."), _own_names(node, self._line(node.name)))


def _holds_decorators(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.FunctionDef) and bool(node.decorators)


def _parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What a node is made of, save names that are bound or looked up in something else."""
    left_out: tuple[object, ...] = ()
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        left_out = (node.name, *getattr(node, "decorators", ()), *getattr(node, "bases", ()))
    elif isinstance(node, cst.Attribute):
        left_out = (node.attr,)
    elif isinstance(node, cst.Arg):
        left_out = (node.keyword,)
    elif isinstance(node, cst.Param):
        left_out = (node.name,)
    elif isinstance(node, (cst.AssignTarget, cst.For, cst.CompFor, cst.NamedExpr)):
        left_out = (node.target,)
    elif isinstance(node, cst.DictElement):
        left_out = (node.key,)
    yield from (child for child in node.children if child not in left_out)


def _own_names(function: cst.FunctionDef, line: int) -> tuple[tuple[str, int], ...]:
    """Parameters and local names with the lines that bind them, `line` being that of the function's name.

    `self` is left out: nothing that anyone mistakes for a value.
    """
    tree = ast.parse(cst.Module([function.with_changes(decorators=[], leading_lines=[])]).code.strip()).body[0]
    names = {node.arg: line for node in ast.walk(tree.args) if isinstance(node, ast.arg)}
    bound = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    for node in sorted(bound, key=lambda n: (n.lineno, n.col_offset)):
        names.setdefault(node.id, line + node.lineno - 1)
    return tuple((name, first) for name, first in names.items() if name not in ("self", "_"))


def _text_mutations(node: cst.Comparison) -> Iterator[Mutation]:
    """Words that something is compared with."""
    for part in (node.left, *(target.comparator for target in node.comparisons)):
        if isinstance(part, cst.SimpleString):
            yield Mutation("data", part, cst.SimpleString(repr(f"{part.evaluated_value}x")))


def _solution_lines(text: str) -> frozenset[int]:
    """Numbers of the lines between the marks of a solution; all lines where there are no marks."""
    lines = text.splitlines()
    if not any(_BEGIN in line for line in lines):
        return frozenset(range(1, len(lines) + 1))
    inside, found = False, set()
    for position, line in enumerate(lines, start=1):
        inside = (inside or _BEGIN in line) and _END not in line
        if inside:
            found.add(position)
    return frozenset(found)
