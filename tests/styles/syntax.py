"""What all transforms stand on: a cell's syntax tree, its text, and ways to walk it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

Node = cst.CSTNode
Change = Callable[[Node], "Node | cst.FlattenSentinel[Node] | None"]
FLOATS = "isinstance(given, torch.Tensor) and given.is_floating_point()"


def code(node: Node) -> str:
    """A node's text."""
    return cst.Module([]).code_for_node(node)


def expression(text: str) -> cst.BaseExpression:
    """The expression that a text is, between brackets of its own, so that it may stand wherever an expression stood."""
    return cst.parse_expression(f"({text})")


def statements(text: str) -> Sequence[Node]:
    """The statements of a text."""
    return cst.parse_module(text.strip("\n") + "\n").body


class _Rewriter(cst.CSTTransformer):
    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change

    def on_leave(self, original_node: Node, updated_node: Node) -> object:  # type: ignore[override]
        updated = super().on_leave(original_node, updated_node)
        if not isinstance(updated, cst.CSTNode):
            return updated
        changed = self.change(updated)
        return updated if changed is None else changed


def rewritten(text: str, change: Change) -> str:
    """The text with every node changed, inner ones first; None from `change` leaves a node as it is."""
    return cst.parse_module(text).visit(_Rewriter(change)).code


def body_rewritten(text: str, change: Callable[[cst.FunctionDef], Node | None]) -> str:
    """The text with every function and method changed, inner ones first."""
    return rewritten(text, lambda node: change(node) if isinstance(node, cst.FunctionDef) else None)


def top_level(text: str, change: Callable[[cst.BaseStatement], str | None]) -> str:
    """The text with its top-level statements replaced by other texts; None leaves one as it is."""
    module = cst.parse_module(text)
    body: list[Node] = []
    for statement in module.body:
        new = change(statement)
        body += [statement] if new is None else statements(new)
    return module.with_changes(body=body).code


def parts_of(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for child in node.children:
        yield from parts_of(child)


def names_in(node: Node) -> set[str]:
    """All names that stand in a node, attributes and arguments' names too."""
    return {part.value for part in parts_of(node) if isinstance(part, cst.Name)}


def parameters(function: cst.FunctionDef) -> list[str]:
    """Names of the parameters that may be given by position, self among them."""
    return [parameter.name.value for parameter in function.params.params]


def arguments(function: cst.FunctionDef) -> str:
    """What a call of another function needs to pass everything on."""
    given = [*parameters(function)]
    if isinstance(function.params.star_arg, cst.Param):
        given.append(f"*{function.params.star_arg.name.value}")
    given += [f"{p.name.value}={p.name.value}" for p in function.params.kwonly_params]
    if function.params.star_kwarg is not None:
        given.append(f"**{function.params.star_kwarg.name.value}")
    return ", ".join(given)


def is_method(function: cst.FunctionDef) -> bool:
    """Whether it takes self."""
    return parameters(function)[:1] == ["self"]


def key_of(name: str) -> str:
    """What the student's own function of a name computes: `_attention_2`, which does attention's work, is an attention."""
    return re.sub(r"_\d+$", "", name.lstrip("_"))


def fresh(name: str, taken: set[str]) -> str:
    """A name for what does the work of another; it is taken from now on."""
    key = key_of(name)
    found = next(n for n in (f"_{key}", *(f"_{key}_{i}" for i in range(2, 100))) if n not in taken)
    taken.add(found)
    return found


def inner(function: cst.FunctionDef, name: str) -> str:
    """The function under another name, without what stood above it and without decorators."""
    return code(function.with_changes(name=cst.Name(name), leading_lines=(), decorators=()))


def header(function: cst.FunctionDef) -> str:
    """The line with def, the docstring with it."""
    bare = function.with_changes(leading_lines=(), decorators=(), body=cst.SimpleStatementSuite([cst.Expr(cst.Ellipsis())]))
    line = code(bare).strip().removesuffix("...").rstrip()
    docstring = function.get_docstring(clean=True)
    return line + (f"\n    {docstring.splitlines()[0]!r}" if docstring else "")


def delegated(function: cst.FunctionDef, taken: set[str], body: str) -> str:
    """The function's work under another name (WORK in `body`), and a function of the old name that calls it (ARGUMENTS)."""
    name = fresh(function.name.value, taken)
    lines = body.replace("WORK", name).replace("ARGUMENTS", arguments(function)).strip("\n").splitlines()
    return inner(function, name) + "\n\n" + header(function) + "\n" + "\n".join(f"    {line}" for line in lines)


def plain_functions(text: str, change: Callable[[cst.FunctionDef, set[str]], str | None]) -> str:
    """The text with its top-level functions replaced; those with a decorator are left as they are."""
    taken = names_in(cst.parse_module(text))

    def replaced(statement: cst.BaseStatement) -> str | None:
        if not isinstance(statement, cst.FunctionDef) or statement.decorators:
            return None
        return change(statement, taken)

    return top_level(text, replaced)


def called(node: Node) -> str:
    """What a call calls, as text; empty for anything else."""
    return code(node.func) if isinstance(node, cst.Call) else ""


def method_of(node: Node) -> str:
    """The name of the method that a call calls on something that is no module; empty for anything else."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return ""
    modules = ("torch", "math", "nn", "np", "numpy", "self", "model", "optimizer", "F", "functools", "warnings", "logging")
    return "" if code(node.func.value).split(".")[0] in modules else node.func.attr.value


def keyword(argument: cst.Arg) -> str:
    """The name an argument is given by; empty for one by position."""
    return argument.keyword.value if argument.keyword else ""


def given(call: cst.Call) -> list[str]:
    """The arguments of a call as texts."""
    return [code(a.with_changes(comma=cst.MaybeSentinel.DEFAULT)).strip() for a in call.args]


def with_header(text: str, above: str) -> str:
    """The text with something above it; what must stand first stays first."""
    first = "from __future__ import annotations\n"
    if text.startswith(first):
        return f"{first}{above.strip()}\n{text.removeprefix(first)}"
    return f"{above.strip()}\n\n\n{text}"
