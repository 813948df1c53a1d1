"""Transforms of names: what a student may call things of their own."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterable, Iterator

import libcst as cst
from libcst.metadata import Assignment, ComprehensionScope, FunctionScope, MetadataWrapper, Scope, ScopeProvider

from tests.styles.syntax import code, names_in, rewritten, with_header

_GRADERS = (
    *("student", "check", "reference", "client", "result", "verdict", "expect_close", "submission", "sandbox", "score"),
    *("grader", "points", "seed", "answer_key", "record", "call", "read", "kept", "value", "seconds"),
)
_BUILTINS = (
    *("list", "dict", "type", "input", "id", "vars", "object", "iter", "next", "hash", "filter", "map", "set", "format", "open"),
    *("dir", "repr", "bytes", "slice", "callable", "compile", "property", "super"),
)
_FOREIGN = (
    "größe",
    "θ",
    "αβγ",
    "poids",
    "вес",
    "権重",
    "ñandú",
    "Δx",
    "ħ",
    "straße",
    "été",
    "λ_1",
    "ψ",
    "ω",
    "重み",
    "점수",
    "ключ",
    "Ωmega",
)


def _own_scopes(wrapper: MetadataWrapper) -> Iterator[Scope]:
    scopes = {scope for scope in wrapper.resolve(ScopeProvider).values() if scope is not None}
    yield from (scope for scope in scopes if isinstance(scope, (FunctionScope, ComprehensionScope)))


def _local_names(wrapper: MetadataWrapper) -> Iterator[tuple[str, list[cst.CSTNode]]]:
    """Each scope's variables and nested functions, with every place that binds or reads them; parameters are left out."""
    for scope in sorted(_own_scopes(wrapper), key=lambda scope: str(sorted(a.name for a in scope.assignments))):
        found: dict[str, list[cst.CSTNode]] = {}
        fixed = {"_"}
        for assignment in scope.assignments:
            node = assignment.node if isinstance(assignment, Assignment) else None
            node = node.name if isinstance(node, cst.FunctionDef) else node
            if not isinstance(node, cst.Name):
                fixed.add(assignment.name)
                continue
            found.setdefault(assignment.name, []).append(node)
            found[assignment.name] += [access.node for access in assignment.references]
        yield from ((name, found[name]) for name in sorted(set(found) - fixed))


class _Renamer(cst.CSTTransformer):
    def __init__(self, new: dict[cst.CSTNode, str]) -> None:
        super().__init__()
        self.new = new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.new.get(original_node, updated_node.value))


def _renamed(text: str, names: Callable[[str], Iterable[str]]) -> str:
    """Local variables under the first of `names` that the text does not use yet; a name is not used in two scopes."""
    wrapper = MetadataWrapper(cst.parse_module(text))
    taken = names_in(wrapper.module)
    new: dict[cst.CSTNode, str] = {}
    for name, nodes in _local_names(wrapper):
        chosen = next((n for n in names(name) if n not in taken), name)
        taken.add(chosen)
        new.update(dict.fromkeys(nodes, chosen))
    return wrapper.module.visit(_Renamer(new)).code


def locals_numbered(text: str) -> str:
    """x1, x2, …"""
    return _renamed(text, lambda name: (f"x{i}" for i in range(1, 200)))


def locals_of_one_letter(text: str) -> str:
    """One letter each, from the front of the alphabet, capitals after them; l, O and I among them."""
    return _renamed(text, lambda name: "lOIabcefghijmnopqrstuwxyzABCDEFGHJLMNPRSUVWXYZ")


def locals_with_very_long_names(text: str) -> str:
    """Eighty letters and more."""
    return _renamed(text, lambda name: [f"the_value_that_this_function_keeps_for_later_under_the_name_of_{name}_and_no_other"])


def locals_in_other_alphabets(text: str) -> str:
    """Names that are not ASCII."""
    return _renamed(text, lambda name: _FOREIGN)


def locals_that_shadow_builtins(text: str) -> str:
    """list, type, id, … where the text does not use these."""
    return _renamed(text, lambda name: (n for n in _BUILTINS if hasattr(builtins, n)))


def locals_with_the_graders_words(text: str) -> str:
    """student, check, reference, …"""
    return _renamed(text, lambda name: _GRADERS)


def locals_with_underscores(text: str) -> str:
    """A leading underscore."""
    return _renamed(text, lambda name: [f"_{name}", f"_{name}_"])


def locals_named_like_functions_of_the_course(text: str) -> str:
    """attention, entropy, … as local names where the text does not use them."""
    words = (
        "attention",
        "entropy",
        "causal_mask",
        "encode",
        "forward",
        "output",
        "CLAIMS",
        "answer",
        "softmax",
        "self_attention",
    )
    return _renamed(text, lambda name: (*words, *(f"{w}_" for w in words)))


def torch_under_another_name(text: str) -> str:
    """import torch as t."""
    return _module_renamed(text, "torch", "t")


def math_under_another_name(text: str) -> str:
    """import math as m."""
    return _module_renamed(text, "math", "m")


def _module_renamed(text: str, module: str, short: str) -> str:
    if short in names_in(cst.parse_module(text)) or re.search(rf"(import|from) {module}\.", text):
        return text

    def changed(node: cst.CSTNode) -> cst.CSTNode | None:
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == module:
            return node.with_changes(value=cst.Name(short))
        return None

    new = rewritten(text, changed)
    return text if new == text else with_header(new, f"import {module} as {short}")


def names_imported_from_torch(text: str) -> str:
    """from torch import softmax, … for the functions that the cell calls."""
    used: set[str] = set()
    taken = names_in(cst.parse_module(text))
    candidates = (
        "softmax",
        "log_softmax",
        "randn",
        "stack",
        "arange",
        "tanh",
        "argmax",
        "einsum",
        "diag",
        "outer",
        "cat",
        "Tensor",
    )
    names = {f"torch.{name}" for name in candidates}
    local = {n for n in taken if f"def {n}" in text}

    def changed(node: cst.CSTNode) -> cst.CSTNode | None:
        name = code(node) if isinstance(node, cst.Attribute) else ""
        if name not in names or name.removeprefix("torch.") in local:
            return None
        used.add(name.removeprefix("torch."))
        return cst.Name(name.removeprefix("torch."))

    new = rewritten(text, changed)
    return with_header(new, f"from torch import {', '.join(sorted(used))}") if used else text


def root_imported_from_math(text: str) -> str:
    """from math import sqrt, inf."""
    if "math." not in text:
        return text
    return with_header(
        text.replace("math.sqrt", "sqrt").replace("math.inf", "inf"), "from math import *\nfrom math import inf, sqrt"
    )


def imports_that_nothing_uses(text: str) -> str:
    """Imports that stand in a cell for no reason."""
    above = "import collections, itertools, os, random, re, sys\nimport numpy as np, typing\nimport torch, math"
    return with_header(text, f"{above}\nfrom torch import nn, Tensor\nimport torch.nn.functional as F")


def annotations_put_off(text: str) -> str:
    """from __future__ import annotations at the top of a cell."""
    return text if "__future__" in text else with_header(text, "from __future__ import annotations")


STYLES = (
    locals_numbered,
    locals_of_one_letter,
    locals_with_very_long_names,
    locals_in_other_alphabets,
    locals_that_shadow_builtins,
    locals_with_the_graders_words,
    locals_with_underscores,
    locals_named_like_functions_of_the_course,
    torch_under_another_name,
    math_under_another_name,
    names_imported_from_torch,
    root_imported_from_math,
    imports_that_nothing_uses,
    annotations_put_off,
)
