"""Mutations of expressions: operators, comparisons, boolean parts, numbers, indices, names.

Texts of messages are left alone: no check compares wording, so that none of these mutants could be killed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from tests.mutants.form import Mutation, exchanged, in_place_of, number, value_of, wrapped

_ARITHMETIC: Mapping[type[cst.BaseBinaryOp], Sequence[cst.BaseBinaryOp]] = {
    cst.Add: [cst.Subtract(), cst.Multiply()],
    cst.Subtract: [cst.Add()],
    cst.Multiply: [cst.Divide(), cst.Add()],
    cst.Divide: [cst.Multiply(), cst.FloorDivide()],
    cst.FloorDivide: [cst.Multiply(), cst.Modulo()],
    cst.Modulo: [cst.FloorDivide(), cst.Multiply()],
    cst.Power: [cst.Multiply(), cst.Divide()],
    cst.MatrixMultiply: [cst.Multiply(), cst.Add()],
    cst.BitAnd: [cst.BitOr()],
    cst.BitOr: [cst.BitAnd()],
}
_ORDERED = (cst.Subtract, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power, cst.MatrixMultiply)
_COMPARISONS: Mapping[type[cst.BaseCompOp], Sequence[cst.BaseCompOp]] = {
    cst.LessThan: [cst.LessThanEqual(), cst.GreaterThan(), cst.GreaterThanEqual(), cst.NotEqual()],
    cst.LessThanEqual: [cst.LessThan(), cst.GreaterThan(), cst.GreaterThanEqual(), cst.Equal()],
    cst.GreaterThan: [cst.GreaterThanEqual(), cst.LessThan(), cst.LessThanEqual(), cst.NotEqual()],
    cst.GreaterThanEqual: [cst.GreaterThan(), cst.LessThan(), cst.LessThanEqual(), cst.Equal()],
    cst.Equal: [cst.NotEqual(), cst.LessThanEqual(), cst.GreaterThanEqual()],
    cst.NotEqual: [cst.Equal(), cst.LessThan(), cst.GreaterThan()],
    cst.Is: [cst.IsNot()],
    cst.IsNot: [cst.Is()],
    cst.In: [cst.NotIn()],
    cst.NotIn: [cst.In()],
}
_GROUPS = ((cst.BitOr,), (cst.BitAnd,), (cst.Add, cst.Subtract))
_CONSTANTS = {"True": "False", "False": "True", "None": "0"}


def expression_mutations(node: cst.CSTNode, names: Sequence[str]) -> Iterator[Mutation]:
    """All that is done to one expression, its parts left aside; `names` are those that one could be mistaken for."""
    if isinstance(node, cst.BinaryOperation):
        yield from _of_binary(node)
    elif isinstance(node, cst.Comparison):
        yield from _of_comparison(node)
    elif isinstance(node, cst.BooleanOperation):
        yield from _of_boolean(node)
    elif value_of(node) is not None:
        yield from number_mutations(node)
    elif isinstance(node, cst.UnaryOperation):
        kind = "sign" if isinstance(node.operator, cst.Minus) else "boolean"
        yield Mutation(kind, node, in_place_of(node, node.expression))
    elif isinstance(node, cst.Subscript):
        yield from _of_subscript(node)
    elif isinstance(node, cst.Name):
        yield from _of_name(node, names)
    elif isinstance(node, (cst.IfExp, cst.CompIf)):
        yield from condition_mutations(node.test)


def number_mutations(node: cst.CSTNode, kind: str = "constant") -> Iterator[Mutation]:
    """A number's neighbours, its opposite, and what is twice as large."""
    value = value_of(node)
    others: tuple[float, ...] = ()
    if isinstance(value, int):
        others = value + 1, value - 1, -value
    elif value is not None:
        others = (value * 2, -value, 0.0, 1.0) if value else (1.0, -1.0)
    for other in others:
        if other != value:
            yield Mutation("sign" if value is not None and other == -value and kind == "constant" else kind, node, number(other))


def condition_mutations(test: cst.BaseExpression) -> Iterator[Mutation]:
    """A condition that always holds, one that never does, and the opposite."""
    for word in ("True", "False"):
        yield Mutation("condition", test, cst.Name(word))
    if not isinstance(test, cst.Comparison):  # whose opposite is made of its operator
        yield Mutation("condition", test, cst.UnaryOperation(cst.Not(), wrapped(test)))


def _of_binary(node: cst.BinaryOperation) -> Iterator[Mutation]:
    for operator in _ARITHMETIC.get(type(node.operator), ()):
        yield Mutation("arithmetic", node, _with_operator(node, operator))
    for part in (node.left, node.right):
        yield Mutation("operand dropped", node, in_place_of(node, part))
    if isinstance(node.operator, _ORDERED):
        swapped = node.with_changes(left=wrapped(node.right), right=wrapped(node.left))
        yield Mutation("operands swapped", node, swapped)


def _with_operator(node: cst.BinaryOperation, operator: cst.BaseBinaryOp) -> cst.BaseExpression:
    """The same operands under another operator, with parentheses where it binds otherwise."""
    new, old = _binding(operator), _binding(node.operator)
    if new > old:
        return node.with_changes(operator=operator, left=wrapped(node.left), right=wrapped(node.right))
    changed = node.with_changes(operator=operator)
    return wrapped(changed) if new < old else changed


def _binding(operator: cst.BaseBinaryOp) -> int:
    """How closely an operator binds."""
    return next((i for i, group in enumerate(_GROUPS) if isinstance(operator, group)), len(_GROUPS))


def _of_comparison(node: cst.Comparison) -> Iterator[Mutation]:
    for i, target in enumerate(node.comparisons):
        for operator in _COMPARISONS.get(type(target.operator), ()):
            changed = list(node.comparisons)
            changed[i] = target.with_changes(operator=operator)
            yield Mutation("comparison", node, node.with_changes(comparisons=changed))


def _of_boolean(node: cst.BooleanOperation) -> Iterator[Mutation]:
    if isinstance(node.operator, cst.And):
        yield Mutation("boolean", node, wrapped(node.with_changes(operator=cst.Or())))
    else:
        parts = {n: wrapped(p) if isinstance(p := getattr(node, n), cst.BooleanOperation) else p for n in ("left", "right")}
        yield Mutation("boolean", node, node.with_changes(operator=cst.And(), **parts))
    for part in (node.left, node.right):
        yield Mutation("boolean", node, in_place_of(node, part))


def _of_subscript(node: cst.Subscript) -> Iterator[Mutation]:
    yield Mutation("index", node, in_place_of(node, node.value))
    for i, element in enumerate(node.slice):
        for other in _of_index(element.slice):
            changed = list(node.slice)
            changed[i] = element.with_changes(slice=other)
            yield Mutation("index", node, node.with_changes(slice=changed))
    plain = [element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in node.slice]
    for i in range(len(plain) - 1):
        yield Mutation("index", node, node.with_changes(slice=exchanged(plain, i, i + 1)))


def _of_index(index: cst.BaseSlice) -> Iterator[cst.BaseSlice]:
    if isinstance(index, cst.Index) and isinstance(index.value, cst.Name) and index.value.value not in _CONSTANTS:
        for operator in (cst.Add(), cst.Subtract()):
            yield cst.Index(cst.BinaryOperation(index.value, operator, cst.Integer("1")))
    if isinstance(index, cst.Slice):
        yield index.with_changes(lower=cst.Integer("1")) if index.lower is None else index.with_changes(lower=None)
        yield index.with_changes(upper=number(-1)) if index.upper is None else index.with_changes(upper=None)


def _of_name(node: cst.Name, names: Sequence[str]) -> Iterator[Mutation]:
    if node.value in _CONSTANTS:
        yield Mutation("constant", node, in_place_of(node, cst.parse_expression(_CONSTANTS[node.value])))
    if node.value in names:
        for other in names:
            if other != node.value:
                yield Mutation("variable", node, node.with_changes(value=other))
