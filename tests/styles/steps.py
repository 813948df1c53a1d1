"""Transforms of the steps of a computation: a variable for each part of an expression, or none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import libcst as cst

from tests.styles.syntax import Node, body_rewritten, code, names_in, parts_of, statements

_OPAQUE = (cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.DictComp, cst.SetComp, cst.FunctionDef, cst.NamedExpr)


class _Flattener:
    """Takes expressions apart, in the order in which Python evaluates them."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.lines: list[str] = []

    def variable(self, text: str) -> str:
        name = next(n for n in (f"step_{i}" for i in range(1, 500)) if n not in self.taken)
        self.taken.add(name)
        self.lines.append(f"{name} = {text}")
        return name

    def flat(self, node: cst.BaseExpression) -> str:
        """A name or a plain expression that has the node's value, once `lines` have run."""
        if isinstance(node, cst.BinaryOperation):
            left = self.flat(node.left)
            return self.variable(f"{left} {code(node.operator).strip()} {self.flat(node.right)}")
        if isinstance(node, cst.UnaryOperation) and not isinstance(node.expression, (cst.Integer, cst.Float)):
            return self.variable(f"{code(node.operator).strip()} {self.flat(node.expression)}")
        if isinstance(node, cst.Call):
            return self.variable(self.call(node))
        if isinstance(node, cst.Subscript):
            return (
                f"{self.flat(node.value)}[{', '.join(code(s.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for s in node.slice)}]"
            )
        if isinstance(node, cst.Attribute):
            return f"{self.flat(node.value)}.{node.attr.value}"
        return code(node)

    def call(self, node: cst.Call) -> str:
        """A call of plain expressions."""
        function = self.flat(node.func)
        texts = []
        for argument in node.args:
            name = f"{argument.keyword.value}=" if argument.keyword else argument.star
            texts.append(f"{name}{self.flat(argument.value)}")
        return f"{function}({', '.join(texts)})"


def _flattened(small: Node, taken: set[str]) -> str | None:
    if not isinstance(small, (cst.Assign, cst.Return)) or small.value is None or "super()" in code(small):
        return None
    flattener = _Flattener(taken)
    values = [e.value for e in small.value.elements] if isinstance(small.value, cst.Tuple) else [small.value]
    flat = [flattener.flat(value) for value in values]
    if not flattener.lines:
        return None
    whole = f"({', '.join(flat)})" if isinstance(small.value, cst.Tuple) else flat[0]
    target = "return" if isinstance(small, cst.Return) else " = ".join(code(t.target) for t in small.targets) + " ="
    return "\n".join([*flattener.lines, f"{target} {whole}"])


def a_variable_for_every_step(text: str) -> str:
    """No expression holds another one."""
    taken = names_in(cst.parse_module(text))

    def changed(function: cst.FunctionDef) -> Node:
        return function.with_changes(body=function.body.visit(_Steps(taken)))

    return body_rewritten(text, changed)


class _Steps(cst.CSTTransformer):
    def __init__(self, taken: set[str]) -> None:
        super().__init__()
        self.taken = taken

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False  # it has been changed already

    def leave_SimpleStatementLine(self, original_node: Node, updated_node: Node) -> object:
        assert isinstance(updated_node, cst.SimpleStatementLine)
        new = _flattened(updated_node.body[0], self.taken) if len(updated_node.body) == 1 else None
        return updated_node if new is None else cst.FlattenSentinel(statements(new))


def no_variable_that_is_read_once(text: str) -> str:
    """What is read once, in the line below, stands there itself."""

    def changed(function: cst.FunctionDef) -> Node | None:
        new: cst.FunctionDef | None = function
        while new is not None:
            function, new = new, _one_inlined(new)
        return function

    return body_rewritten(text, changed)


def _one_inlined(function: cst.FunctionDef) -> cst.FunctionDef | None:
    body = list(function.body.body)
    for i, (line, following) in enumerate(pairwise(body)):
        bound = _single(line)
        if bound is None or not isinstance(following, cst.SimpleStatementLine) or isinstance(following.body[0], cst.Del):
            continue
        name, value = bound
        here = list(_reads(following, name))
        everywhere = [part for part in parts_of(function) if isinstance(part, cst.Name) and part.value == name]
        if len(here) == 1 and len(everywhere) == 2 and not any(isinstance(p, _OPAQUE) for p in parts_of(following)):
            joined = following.deep_replace(here[0], cst.parse_expression(f"({code(value)})"))
            return function.with_changes(body=function.body.with_changes(body=[*body[:i], joined, *body[i + 2 :]]))
    return None


def _single(line: Node) -> tuple[str, cst.BaseExpression] | None:
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1 or not isinstance(line.body[0], cst.Assign):
        return None
    target = line.body[0].targets
    return (target[0].target.value, line.body[0].value) if len(target) == 1 and isinstance(target[0].target, cst.Name) else None


def _reads(line: Node, name: str) -> Iterator[Node]:
    for part in parts_of(line):
        if isinstance(part, cst.Name) and part.value == name:
            yield part


STYLES = (a_variable_for_every_step, no_variable_that_is_read_once)
