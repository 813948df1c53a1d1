"""Mutations of statements: dropped, doubled, in another order; what is returned; loops, conditions, contexts; plain data."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import libcst as cst

from tests.mutants.expressions import condition_mutations
from tests.mutants.form import Mutation, exchanged, number, wrapped

_LEFT_ALONE = (cst.Import, cst.ImportFrom, cst.Pass, cst.Return, cst.Break, cst.Continue)


def statement_mutations(node: cst.CSTNode) -> Iterator[Mutation]:
    """All that is done to one statement, its expressions left aside."""
    if isinstance(node, cst.SimpleStatementLine):
        yield from _of_line(node)
    elif isinstance(node, cst.Return) and node.value is not None:
        yield from _of_return(node)
    elif isinstance(node, cst.Assign):
        yield from _of_assignment(node)
    elif isinstance(node, cst.AugAssign):
        yield Mutation("arithmetic", node, cst.Assign([cst.AssignTarget(node.target)], node.value))
    elif isinstance(node, (cst.If, cst.While)):
        yield from condition_mutations(node.test)
    elif isinstance(node, cst.For):
        yield from _of_loop(node)
    elif isinstance(node, cst.With):
        yield Mutation("statement dropped", node, cst.If(cst.Name("True"), node.body))
    elif isinstance(node, cst.FunctionDef):
        for decorator in node.decorators:
            rest = [other for other in node.decorators if other is not decorator]
            yield Mutation("statement dropped", node, node.with_changes(decorators=rest))


def order_mutations(block: cst.IndentedBlock | cst.Module) -> Iterator[Mutation]:
    """Each two statements that follow each other, exchanged."""
    plain = [isinstance(line, cst.SimpleStatementLine) and not is_docstring(line) for line in block.body]
    for i in range(len(block.body) - 1):
        if plain[i] and plain[i + 1] and not isinstance(block.body[i + 1].body[0], cst.Return):
            yield Mutation("order of statements", block, block.with_changes(body=exchanged(block.body, i, i + 1)))


def is_docstring(node: cst.CSTNode) -> bool:
    """Whether a line is nothing but a string."""
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    return isinstance(node.body[0], cst.Expr) and isinstance(node.body[0].value, cst.BaseString)


def is_data(statement: cst.BaseSmallStatement) -> bool:
    """Whether a statement gives a name nothing but plain data."""
    if not isinstance(statement, cst.Assign):
        return False
    try:
        ast.literal_eval(cst.Module([]).code_for_node(statement.value).strip())
    except (ValueError, SyntaxError):
        return False
    return True


def data_mutations(statement: cst.Assign) -> Iterator[Mutation]:
    """Plain data with another word, an entry less, or two entries exchanged; numbers and truth values are expressions' matter."""
    words = list(dict.fromkeys(_words(statement.value)))
    for node in _containers_and_words(statement.value):
        if isinstance(node, cst.SimpleString):
            for word in _other_words(node.evaluated_value, words):
                yield Mutation("data", node, cst.SimpleString(repr(word)))
        elif isinstance(node, (cst.List, cst.Tuple, cst.Dict)):
            yield from _of_container(node)


def _of_container(node: cst.List | cst.Tuple | cst.Dict) -> Iterator[Mutation]:
    for i in range(len(node.elements)):
        yield Mutation("data", node, node.with_changes(elements=[e for j, e in enumerate(node.elements) if j != i]))
    for i in range(len(node.elements) - 1 if not isinstance(node, cst.Dict) else 0):
        values = exchanged([e.value for e in node.elements], i, i + 1)
        changed = [e.with_changes(value=v) for e, v in zip(node.elements, values, strict=True)]
        yield Mutation("data", node, node.with_changes(elements=changed))


def _containers_and_words(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        if isinstance(child, cst.DictElement):
            yield from _containers_and_words(child.value)
        else:
            yield from _containers_and_words(child)


def _words(node: cst.CSTNode) -> Iterator[str]:
    for found in _containers_and_words(node):
        if isinstance(found, cst.SimpleString):
            yield str(found.evaluated_value)


def _other_words(word: str, words: Sequence[str]) -> list[str]:
    """The next word of the same data; the next letter of a letter that stands alone; two letters exchanged."""
    if len(words) > 1:
        return [words[(words.index(word) + 1) % len(words)]]
    return [chr(ord(word) + 1)] if len(word) == 1 else [word[1] + word[0] + word[2:], word[:-1]]


def _of_line(node: cst.SimpleStatementLine) -> Iterator[Mutation]:
    statement = node.body[0]
    if isinstance(statement, _LEFT_ALONE) or is_docstring(node):
        return
    yield Mutation("statement dropped", node, node.with_changes(body=[cst.Pass()]))
    if isinstance(statement, cst.Expr):
        yield Mutation("statement twice", node, node.with_changes(body=[statement, statement]))


def _of_return(node: cst.Return) -> Iterator[Mutation]:
    yield Mutation("return", node, node.with_changes(value=cst.Name("None"), whitespace_after_return=cst.SimpleWhitespace(" ")))
    parts = [e.value for e in node.value.elements] if isinstance(node.value, cst.Tuple) else [node.value]
    for part in parts:
        yield Mutation("sign", part, cst.UnaryOperation(cst.Minus(), wrapped(part)))
        for method in ("detach", "float", "double"):
            yield Mutation("return", part, cst.Call(cst.Attribute(wrapped(part), cst.Name(method))))
    if len(parts) > 1:
        for i in range(len(parts) - 1):
            values = exchanged(parts, i, i + 1)
            changed = [e.with_changes(value=v) for e, v in zip(node.value.elements, values, strict=True)]
            yield Mutation("return", node.value, node.value.with_changes(elements=changed))


def _of_assignment(node: cst.Assign) -> Iterator[Mutation]:
    target = node.targets[0].target
    if isinstance(target, cst.Tuple):
        for i in range(len(target.elements) - 1):
            values = exchanged([e.value for e in target.elements], i, i + 1)
            changed = [e.with_changes(value=v) for e, v in zip(target.elements, values, strict=True)]
            yield Mutation("targets swapped", target, target.with_changes(elements=changed))


def _of_loop(node: cst.For) -> Iterator[Mutation]:
    yield Mutation("loop", node, cst.SimpleStatementLine([cst.Pass()], leading_lines=node.leading_lines))
    stop = cst.SimpleStatementLine([cst.Break()])
    yield Mutation("loop", node, node.with_changes(body=node.body.with_changes(body=[*node.body.body, stop])))
    backwards = cst.Call(cst.Name("reversed"), [cst.Arg(cst.Call(cst.Name("list"), [cst.Arg(node.iter)]))])
    yield Mutation("loop", node.iter, backwards)
    later = cst.Call(cst.Name("list"), [cst.Arg(node.iter)])
    part = cst.Slice(cst.Integer("1"), None), cst.Slice(None, number(-1))
    for piece in part:
        yield Mutation("loop", node.iter, cst.Subscript(later, [cst.SubscriptElement(piece)]))
