"""What the mutation operators share: a mutation, and how one expression is written in the place of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float, cst.BaseString, cst.List, cst.Dict)
AXES: Sequence[int] = (-3, -2, -1, 0, 1, 2)


@dataclass(frozen=True)
class Mutation:
    """A node of a text and what stands in its place; `kind` is one of the kinds that figures are counted by."""

    kind: str
    old: cst.CSTNode
    new: cst.CSTNode


@dataclass(frozen=True)
class Scope:
    """Where a node stands: the function's dotted name, and the names that are its own with the line that binds each first."""

    name: str
    names: tuple[tuple[str, int], ...] = ()

    def bound_before(self, line: int) -> tuple[str, ...]:
        """The names that have a value where this line begins."""
        return tuple(name for name, bound in self.names if bound < line)


def wrapped(expression: cst.BaseExpression) -> cst.BaseExpression:
    """The expression in parentheses, unless it can do without anywhere."""
    if isinstance(expression, _ATOMS) or expression.lpar:
        return expression
    return expression.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def in_place_of(old: cst.BaseExpression, new: cst.BaseExpression) -> cst.BaseExpression:
    """`new` with the parentheses of `old`, so that a part that takes the place of the whole keeps its meaning."""
    return new.with_changes(lpar=[*old.lpar, *new.lpar], rpar=[*new.rpar, *old.rpar]) if old.lpar else new


def number(value: float) -> cst.BaseExpression:
    """A number as Python writes it."""
    return cst.parse_expression(repr(value))


def value_of(node: cst.CSTNode) -> int | float | None:
    """The value of a literal number, its sign included; None for anything else."""
    if isinstance(node, (cst.Integer, cst.Float)):
        value: int | float = node.evaluated_value
        return value
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = value_of(node.expression)
        return None if inner is None else -inner
    return None


def last_name(function: cst.BaseExpression) -> str:
    """The last part of a dotted name: what is called."""
    if isinstance(function, cst.Attribute):
        return function.attr.value
    return function.value if isinstance(function, cst.Name) else ""


def first_name(expression: cst.BaseExpression) -> str:
    """The first part of a dotted name; empty where it begins with something else."""
    while isinstance(expression, cst.Attribute):
        expression = expression.value
    return expression.value if isinstance(expression, cst.Name) else ""


def exchanged(parts: Sequence[object], i: int, j: int) -> list[object]:
    """The parts with two of them exchanged."""
    changed = list(parts)
    changed[i], changed[j] = changed[j], changed[i]
    return changed
