"""Mutations of calls: another function of torch's, the call left out, arguments dropped, exchanged, turned to other axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from tests.mutants.form import AXES, Mutation, exchanged, first_name, in_place_of, last_name, number, value_of

_MODULES = ("torch", "math", "nn", "np", "self", "date_task")
_AXIS_WORDS = ("dim", "axis", "dims", "dim0", "dim1", "start_dim", "end_dim")
_AXIS_CALLS = (
    *("transpose", "unsqueeze", "squeeze", "softmax", "log_softmax", "sum", "mean", "any", "all", "gather", "stack", "cat"),
    *("permute", "flatten", "unbind", "argmax", "max", "min", "size"),
)
_OTHERS: Mapping[str, Sequence[str]] = {
    "sum": ["mean", "max"],
    "mean": ["sum"],
    "max": ["min"],
    "min": ["max"],
    "argmax": ["argmin"],
    "any": ["all"],
    "all": ["any"],
    "zeros": ["ones"],
    "ones": ["zeros"],
    "randn": ["rand"],
    "rand": ["randn"],
    "var": ["std"],
    "std": ["var"],
    "log": ["log2", "log1p"],
    "exp": ["expm1", "exp2"],
    "tanh": ["sigmoid", "relu"],
    "softmax": ["log_softmax", "sigmoid"],
    "log_softmax": ["softmax"],
    "tril": ["triu"],
    "triu": ["tril"],
    "double": ["float"],
    "float": ["int"],
    "diag": ["diagonal"],
    "diag_embed": ["diag"],
    "outer": ["inner"],
    "matrix_norm": ["vector_norm"],
    "train": ["eval"],
    "eval": ["train"],
    "stack": ["cat"],
    "cat": ["stack"],
    "split": ["chunk"],
    "sqrt": ["exp", "log"],
    "masked_fill": ["masked_scatter"],
    "squeeze": ["unsqueeze"],
    "unsqueeze": ["squeeze"],
    "transpose": ["reshape"],
    "clip_grad_norm_": ["clip_grad_value_"],
    "append": ["extend"],
    "backward": ["detach"],
    "arange": ["zeros", "ones"],
    "full_like": ["zeros_like"],
    "len": ["max"],
    "LSTM": ["GRU"],
    "LSTMCell": ["GRUCell"],
    "cross_entropy": ["multi_margin_loss"],
    "reshape": ["view"],
    "no_grad": ["enable_grad"],
    "randperm": ["arange"],
    "gather": ["take_along_dim"],
    "flatten": ["ravel"],
}
_IN_PLACE = ("masked_fill", "unsqueeze", "squeeze", "transpose", "exp", "tanh", "sqrt")
_SYMMETRIC = ("transpose",)
_FILLS = (0.0, -1e4)


def call_mutations(node: cst.Call) -> Iterator[Mutation]:
    """All that is done to one call, its parts left aside."""
    name = last_name(node.func)
    for other in _OTHERS.get(name, ()):
        yield Mutation("torch call", node, node.with_changes(func=_renamed(node.func, other)))
    yield from _without_the_call(node)
    if name in _IN_PLACE and _is_method(node):
        yield Mutation("in place", node, node.with_changes(func=_renamed(node.func, f"{name}_")))
    yield from _other_axes(node, name)
    yield from _other_fills(node, name)
    yield from _dropped_arguments(node)
    yield from _swapped_arguments(node)


def _renamed(function: cst.BaseExpression, name: str) -> cst.BaseExpression:
    return function.with_changes(**{"attr" if isinstance(function, cst.Attribute) else "value": _as(function, name)})


def _as(function: cst.BaseExpression, name: str) -> cst.Name | str:
    return cst.Name(name) if isinstance(function, cst.Attribute) else name


def _is_method(node: cst.Call) -> bool:
    """Whether the call is one of an object's, not of a module's."""
    return isinstance(node.func, cst.Attribute) and first_name(node.func) not in _MODULES


def _without_the_call(node: cst.Call) -> Iterator[Mutation]:
    """What a method is called on, or the first argument of a function, in the place of the result."""
    if _is_method(node):
        yield Mutation("call dropped", node, in_place_of(node, node.func.value))
    elif node.args and node.args[0].keyword is None and not node.args[0].star:
        yield Mutation("call dropped", node, in_place_of(node, node.args[0].value))


def _with_argument(node: cst.Call, i: int, value: cst.BaseExpression) -> cst.Call:
    return node.with_changes(args=[arg.with_changes(value=value) if j == i else arg for j, arg in enumerate(node.args)])


def _other_axes(node: cst.Call, name: str) -> Iterator[Mutation]:
    for i, arg in enumerate(node.args):
        word = arg.keyword.value if arg.keyword else ""
        value = value_of(arg.value)
        if isinstance(value, int) and (word in _AXIS_WORDS or (not word and name in _AXIS_CALLS)):
            for axis in AXES:
                if axis != value:
                    yield Mutation("axis", node, _with_argument(node, i, number(axis)))


def _other_fills(node: cst.Call, name: str) -> Iterator[Mutation]:
    if name == "masked_fill" and len(node.args) == 2:
        for fill in _FILLS:
            if fill != value_of(node.args[1].value):
                yield Mutation("torch call", node, _with_argument(node, 1, number(fill)))


def _dropped_arguments(node: cst.Call) -> Iterator[Mutation]:
    """Each keyword argument, and the last positional one."""
    positional = [i for i, arg in enumerate(node.args) if arg.keyword is None]
    for i, arg in enumerate(node.args):
        if arg.keyword is not None or i == positional[-1]:
            rest = [other for j, other in enumerate(node.args) if j != i]
            yield Mutation("argument dropped", node, node.with_changes(args=_without_last_comma(rest)))


def _swapped_arguments(node: cst.Call) -> Iterator[Mutation]:
    """Each two positional arguments, save where their order says nothing."""
    if last_name(node.func) in _SYMMETRIC:
        return
    positional = [i for i, arg in enumerate(node.args) if arg.keyword is None and not arg.star]
    values = [arg.value for arg in node.args]
    for a, i in enumerate(positional):
        for j in positional[a + 1 :]:
            pairs = zip(node.args, exchanged(values, i, j), strict=True)
            yield Mutation("arguments swapped", node, node.with_changes(args=[arg.with_changes(value=v) for arg, v in pairs]))


def _without_last_comma(arguments: Sequence[cst.Arg]) -> list[cst.Arg]:
    return [*arguments[:-1], *(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in arguments[-1:])]
