"""The entry of `answer` that belongs to a question: as the notebook left it, or as the text of its cell gives it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from grading.student import Kept, Student, StudentFault
from grading.wire import Opaque, WireError

_LONGEST_SOURCE = 20_000


def read_answer(student: Student, slot: str) -> Any:
    """The value of `answer[slot]` as plain data; None where there is none. The key may be written "a3", " A3" or 3.

    Where the cell stopped before its assignment (the line that raises was left in), the assignment is read from its text.
    """
    found = [key for key in _keys(student) if _slot_of(key) == slot]
    value = _asked(student, "answer.get", found[-1]) if found else None
    if value is None:
        return _written(student.sources.get(f"exam_{slot.lower()}_answer", ""), slot)
    return _opened(student, found[-1], value) if isinstance(value, Opaque) else value


def _keys(student: Student) -> list[Any]:
    """The keys of `answer`, none where it is no dict: without its values, for one that is too large is one question's alone."""
    keys = _asked(student, "answer.fromkeys", Kept("answer"))
    return list(keys) if isinstance(keys, dict) else []


def _asked(student: Student, path: str, argument: Any) -> Any:
    try:
        return student.ask(path, argument).value
    except StudentFault:
        return None
    except WireError:
        return Opaque("a value of too many parts")


def _slot_of(key: Any) -> str:
    text = str(key).strip().upper() if isinstance(key, (str, int)) else ""
    return f"A{text}" if text.isdigit() else text


def _opened(student: Student, key: Any, value: Opaque) -> Any:
    """What can be told of a value that does not cross the pipe: sets, arrays of words, and other kinds of number."""
    try:
        student.ask("answer.get", key, keep="opened_answer")
        if value.type_name in ("set", "frozenset"):
            forms = {
                a: tuple(f"{before}{x}{after}" for x in (a, a.lower()) for before in ("", " ") for after in ("", " "))
                for a in "ABCDE"
            }
            letters = [a for a in forms if any(student.ask("opened_answer.issuperset", [f]).value for f in forms[a])]
            complete = student.ask("opened_answer.__len__").value == len(letters)
            return tuple(letters) if complete else value
        if value.type_name == "dict_keys":
            return tuple(student.ask("opened_answer.mapping.copy").value)
        if value.type_name.startswith("a numpy array of"):
            return student.ask("opened_answer.tolist").value
        if value.type_name in ("Fraction", "Decimal"):
            return student.ask("opened_answer.__float__").value
    except (StudentFault, WireError):
        pass
    return value


def _written(source: str, slot: str) -> Any:
    """The last plain value that the text of an answer's cell gives as its answer; None where there is none."""
    if len(source) > _LONGEST_SOURCE:
        return None
    found = None
    try:
        for statement in ast.parse(source).body:
            for value in _answers_in(statement, slot):
                found = value
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return found
    return tuple(sorted(found, key=str)) if isinstance(found, (set, frozenset)) else found


def _answers_in(statement: ast.stmt, slot: str) -> Iterator[Any]:
    """Plain values that a statement gives as the answer: `answer["A3"] = "B"`, and, for whoever forgot that `answer` is a dict,
    `answer = "B"`, `answer = {"A3": "B"}`, `A3 = "B"` or `"B"` alone."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict)):
        yield ast.literal_eval(statement.value)
    for target in statement.targets if isinstance(statement, ast.Assign) else ():
        if _is_place(target, slot) or (isinstance(target, ast.Name) and target.id.upper() == slot):
            yield ast.literal_eval(statement.value)  # type: ignore[attr-defined]  # an Assign has a value
        elif isinstance(target, ast.Name) and target.id == "answer":
            value = ast.literal_eval(statement.value)  # type: ignore[attr-defined]  # likewise
            named = [item for key, item in value.items() if _slot_of(key) == slot] if isinstance(value, dict) else []
            yield from named if named or not value else [value]


def _is_place(target: ast.expr, slot: str) -> bool:
    """Whether an assignment's target is `answer["A3"]`."""
    if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id == "answer"):
        return False
    return isinstance(target.slice, ast.Constant) and _slot_of(target.slice.value) == slot
