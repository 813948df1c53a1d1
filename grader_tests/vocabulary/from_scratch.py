"""The "from scratch" rule: torch's ready-made attention, found in the text of an answer and in what ran.

The text is read, never run: imports, attribute chains, and names that are put together from constant strings and then
looked up (getattr, attrgetter, subscripts, importlib, exec, eval). What ran is the student side's log of operations. Either
witness costs the "from scratch" points and nothing else. A comment, a docstring or a printed string mentions; it does not use.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from grading.checks import CheckForbidden
from grading.student import Reply

READY_MADE = re.compile(
    r"_?scaled_dot_product_(\w+_)?attention\w*|multi_head_attention_forward|MultiheadAttention|flex_attention|_native_multi_head_attention"
    r"|_safe_softmax"  # all that is left of torch's own attention in a traced function; nothing else uses it
    r"|_(flash|efficient|cudnn)_attention\w*|_transformer_encoder_layer_fwd|Transformer((En|De)coder(Layer)?)?"
)
# These switch off the log of operations; no answer needs them.
HIDING = frozenset({"_disable_current_modes", "DisableTorchFunction", "DisableTorchFunctionSubclass", "_DisableTorchDispatch"})
_LOOKUPS = frozenset(
    {"getattr", "attrgetter", "methodcaller", "__getattribute__", "__getattr__", "import_module", "__import__", "get"}
)
_RUNNING = frozenset({"exec", "eval", "compile"})
_DEEPEST = 20


def forbid_ready_made(source: str, reply: Reply) -> None:
    """Raises CheckForbidden where an answer's text or the operations that ran use torch's own attention."""
    found = next(ready_made_names(source), "") or ready_made_operation(reply.operations)
    if found:
        raise CheckForbidden(
            f"The answer uses torch's ready-made attention (`{found}`). "
            "This exercise asks for it from its parts: matmul, softmax and einsum are fine."
        )


def ready_made_operation(operations: tuple[str, ...]) -> str:
    """The first ready-made operation in a log such as "torch.nn.functional.scaled_dot_product_attention", or nothing."""
    parts = ((operation, re.split(r"[.:]+", operation)) for operation in operations)
    return next((operation for operation, names in parts if any(READY_MADE.fullmatch(name) for name in names)), "")


def ready_made_names(source: str, depth: int = 0) -> Iterator[str]:
    """Ready-made names that a text uses, as they stand in torch. Text that is no Python uses none: it does not run either."""
    try:
        tree = ast.parse(_without_magics(source))
    except (SyntaxError, ValueError, RecursionError):
        return
    constants, own = _constant_names(tree), _defined(tree)
    for node in ast.walk(tree):
        for name in _names_used(node, constants, depth):
            if (READY_MADE.fullmatch(name) or name in HIDING) and name not in own:
                yield name


def _defined(tree: ast.Module) -> set[str]:
    """Functions, methods and classes that the text defines: a student may well call their own after torch's."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def _without_magics(source: str) -> str:
    return "\n".join("pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())


def _constant_names(tree: ast.Module) -> dict[str, str]:
    """Variables that are given a constant string somewhere in the text."""
    constants: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            text = fold(node.value, constants)
            if text is not None:
                constants[node.targets[0].id] = text
    return constants


def _names_used(node: ast.AST, constants: Mapping[str, str], depth: int) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.Subscript):
        yield from (fold(node.slice, constants) or "").split(".")
    elif isinstance(node, ast.Call):
        yield from _names_called(node, constants, depth)


def _names_called(call: ast.Call, constants: Mapping[str, str], depth: int) -> Iterator[str]:
    """Names that a call looks up in its constant strings: an attribute's name, a module's, or a text that is run."""
    function = call.func
    called = function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    texts = [text for argument in call.args if (text := fold(argument, constants)) is not None]
    if called in _LOOKUPS:
        for text in texts:
            yield from text.split(".")
    if called in _RUNNING and depth < _DEEPEST:
        for text in texts:
            yield from ready_made_names(text, depth + 1)


def fold(node: ast.AST, constants: Mapping[str, str], depth: int = 0) -> str | None:
    """The string that an expression of constant strings stands for, or None where it is none."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([node.left, node.right], "", constants, depth)
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        return _joined(parts, "", constants, depth)
    if isinstance(node, ast.Subscript):
        return _sliced(node, constants, depth)
    return _method(node, constants, depth) if isinstance(node, ast.Call) else None


def _joined(parts: list[ast.expr], separator: str, constants: Mapping[str, str], depth: int) -> str | None:
    texts = [fold(part, constants, depth + 1) for part in parts]
    known = [text for text in texts if text is not None]
    return separator.join(known) if len(known) == len(texts) else None


def _sliced(node: ast.Subscript, constants: Mapping[str, str], depth: int) -> str | None:
    """A constant string turned round or cut by constant bounds."""
    text = fold(node.value, constants, depth + 1)
    if text is None or not isinstance(node.slice, ast.Slice):
        return None
    try:
        bounds = [None if b is None else ast.literal_eval(b) for b in (node.slice.lower, node.slice.upper, node.slice.step)]
        return text[slice(*bounds)]
    except (ValueError, TypeError):
        return None


def _method(call: ast.Call, constants: Mapping[str, str], depth: int) -> str | None:
    """join, format, replace, lower and the like, called on a constant string with constant strings."""
    if not isinstance(call.func, ast.Attribute) or call.keywords:
        return None
    text = fold(call.func.value, constants, depth + 1)
    if text is None:
        return None
    if call.func.attr == "join" and len(call.args) == 1 and isinstance(call.args[0], (ast.List, ast.Tuple)):
        return _joined(call.args[0].elts, text, constants, depth)
    arguments = [fold(argument, constants, depth + 1) for argument in call.args]
    if None in arguments or call.func.attr not in {
        "format",
        "replace",
        "lower",
        "upper",
        "strip",
        "removeprefix",
        "removesuffix",
    }:
        return None
    try:
        return str(getattr(text, call.func.attr)(*arguments))[:1000]
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return None
