"""Transforms of answers that are data: dicts of claims, orders of a proof, answers of the exam."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from tests.styles.syntax import Node, code, expression, rewritten, top_level, with_header


def _last_binding(text: str, change: Callable[[str, cst.BaseExpression], str | None]) -> str:
    """The last top-level assignment in another form, from its target and its value."""
    body = [s for s in cst.parse_module(text).body if _binding(s) is not None]
    last = code(body[-1]) if body else ""

    def changed(statement: cst.BaseStatement) -> str | None:
        bound = _binding(statement)
        return change(*bound) if bound is not None and code(statement) == last else None

    return top_level(text, changed)


def _binding(statement: Node) -> tuple[str, cst.BaseExpression] | None:
    if not isinstance(statement, cst.SimpleStatementLine) or not isinstance(statement.body[0], cst.Assign):
        return None
    small = statement.body[0]
    return (
        (code(small.targets[0].target), small.value)
        if code(small.targets[0].target).startswith(("CLAIMS", "PROOF", "answer["))
        else None
    )


def _pairs(value: cst.BaseExpression) -> list[tuple[str, str]] | None:
    if not isinstance(value, cst.Dict):
        return None
    return [(code(e.key), code(e.value)) for e in value.elements if isinstance(e, cst.DictElement)]


def _dicts(text: str, change: Callable[[str, list[tuple[str, str]]], str]) -> str:
    def changed(target: str, value: cst.BaseExpression) -> str | None:
        pairs = _pairs(value)
        return None if pairs is None else change(target, pairs)

    return _last_binding(text, changed)


def dicts_entry_by_entry(text: str) -> str:
    """Each entry set for itself."""
    return _dicts(text, lambda target, pairs: "\n".join([f"{target} = {{}}", *(f"{target}[{k}] = {v}" for k, v in pairs)]))


def dicts_by_update(text: str) -> str:
    """update, of the dict of None."""
    return _dicts(
        text,
        lambda target, pairs: (
            f"{target} = dict.fromkeys([{', '.join(k for k, _ in pairs)}])\n{target}.update({{{_joined(pairs)}}})"
        ),
    )


def dicts_by_zip(text: str) -> str:
    """dict(zip(labels, values))."""
    return _dicts(
        text,
        lambda target, pairs: f"{target} = dict(zip([{', '.join(k for k, _ in pairs)}], [{', '.join(v for _, v in pairs)}]))",
    )


def dicts_by_union(text: str) -> str:
    """{} | {}."""
    return _dicts(text, lambda target, pairs: f"{target} = {{{_joined(pairs[:3])}}} | {{{_joined(pairs[3:])}}}")


def dicts_turned_round(text: str) -> str:
    """The last entry first."""
    return _dicts(text, lambda target, pairs: f"{target} = {{{_joined(pairs[::-1])}}}")


def dicts_ordered(text: str) -> str:
    """An OrderedDict."""
    new = _dicts(text, lambda target, pairs: f"{target} = OrderedDict([{', '.join(f'({k}, {v})' for k, v in pairs)}])")
    return text if new == text else with_header(new, "from collections import OrderedDict")


def dicts_from_a_function(text: str) -> str:
    """What a function returns."""
    return _dicts(text, lambda target, pairs: f"def decide():\n    return {{{_joined(pairs)}}}\n\n\n{target} = decide()")


def _joined(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(f"{k}: {v}" for k, v in pairs)


def tuples_for_lists(text: str) -> str:
    """A tuple for a list, a list for a tuple, in what is bound."""

    def changed(target: str, value: cst.BaseExpression) -> str | None:
        if isinstance(value, cst.List):
            return f"{target} = tuple({code(value)})"
        if isinstance(value, cst.Dict) and all(isinstance(element.value, cst.Tuple) for element in value.elements):
            return f"{target} = {{key: list(entry) for key, entry in ({code(value)}).items()}}"
        return None

    return _last_binding(text, changed)


def lists_from_a_text(text: str) -> str:
    """list("ABC") for a list of letters."""

    def changed(target: str, value: cst.BaseExpression) -> str | None:
        if not isinstance(value, cst.List):
            return None
        letters = [code(e.value).strip("\"'") for e in value.elements]
        return f'{target} = list("{"".join(letters)}")' if all(len(letter) == 1 for letter in letters) else None

    return _last_binding(text, changed)


def lists_grown(text: str) -> str:
    """append for each entry."""

    def changed(target: str, value: cst.BaseExpression) -> str | None:
        if not isinstance(value, cst.List):
            return None
        lines = [f"letters.append({code(e.value)})" for e in value.elements]
        return "\n".join(["letters = []", *lines, f"{target} = letters"])

    return _last_binding(text, changed)


def truths_by_comparison(text: str) -> str:
    """1 == 1 for True, 1 == 2 for False."""
    return _in_values(text, {"True": "1 == 1", "False": "1 == 2"})


def truths_by_not(text: str) -> str:
    """not False for True."""
    return _in_values(text, {"True": "not False", "False": "not True"})


def truths_of_numpy_in_dicts(text: str) -> str:
    """numpy's bool, as a comparison of arrays gives it."""
    return _in_values(text, {"True": "np.float64(1) > 0", "False": "np.float64(1) < 0"}, "import numpy as np")


def truths_as_tensors(text: str) -> str:
    """A tensor's bool, as a comparison of tensors gives it."""
    return _in_values(text, {"True": "torch.tensor(1) > 0", "False": "torch.tensor(1) < 0"})


def _in_values(text: str, new: dict[str, str], above: str = "") -> str:
    def changed(target: str, value: cst.BaseExpression) -> str | None:
        def of_names(node: Node) -> Node | None:
            return expression(new[code(node)]) if isinstance(node, cst.Name) and code(node) in new else None

        after = rewritten(f"{target} = {code(value)}", of_names)
        return after if after != f"{target} = {code(value)}" else None

    after = _last_binding(text, changed)
    return with_header(after, above) if above and after != text else after


def numbers_worked_out(text: str) -> str:
    """A number as a sum."""

    def changed(target: str, value: cst.BaseExpression) -> str | None:
        return f"{target} = {code(value)} / 2 + {code(value)} / 2" if isinstance(value, (cst.Integer, cst.Float)) else None

    return _last_binding(text, changed)


def numbers_as_tensors(text: str) -> str:
    """torch.tensor of a number."""

    def changed(target: str, value: cst.BaseExpression) -> str | None:
        return f"{target} = torch.tensor({code(value)})" if isinstance(value, (cst.Integer, cst.Float)) else None

    return _last_binding(text, changed)


def through_a_variable(text: str) -> str:
    """my_answer first, then what is asked for."""
    return _last_binding(text, lambda target, value: f"my_answer = {code(value)}\n{target} = my_answer")


def through_two_steps(text: str) -> str:
    """Something else first, then the answer."""
    return _last_binding(text, lambda target, value: f"{target} = 'not yet'\n{target} = {code(value)}")


def through_setitem(text: str) -> str:
    """answer.update and answer.__setitem__ for answer[…] = …"""

    def changed(target: str, value: cst.BaseExpression) -> str | None:
        if not target.startswith("answer["):
            return None
        label = target.removeprefix("answer[").removesuffix("]")
        return f"answer.update({{{label}: None}})\nanswer.__setitem__({label}, {code(value)})"

    return _last_binding(text, changed)


STYLES = (
    dicts_entry_by_entry,
    dicts_by_update,
    dicts_by_zip,
    dicts_by_union,
    dicts_turned_round,
    dicts_ordered,
    dicts_from_a_function,
    tuples_for_lists,
    lists_from_a_text,
    lists_grown,
    truths_by_comparison,
    truths_by_not,
    truths_of_numpy_in_dicts,
    truths_as_tensors,
    numbers_worked_out,
    numbers_as_tensors,
    through_a_variable,
    through_two_steps,
    through_setitem,
)
