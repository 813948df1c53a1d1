"""Errors as answers: a ValueError with words in it, and several faults told apart. Wording is never compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from grading.checks import CheckFailed
from grading.student import Student, StudentError

# What torch raises by itself for shapes and positions that do not fit.
STUMBLES = frozenset({"RuntimeError", "IndexError"})


def expect_refusal(student: Student, name: str, arguments: Iterable[Any], fault: str, of_any_class: bool = False) -> str:
    """The message of the ValueError that these arguments must raise; `fault` says in words what is wrong with them.

    Where another check asks for the class, `of_any_class` takes any but those that torch raises where it stumbles.
    """
    try:
        student.ask(name, *arguments)
    except StudentError as error:
        if "NotImplementedError" in error.classes:
            raise
        right_class = not STUMBLES.intersection(error.classes) if of_any_class else "ValueError" in error.classes
        if not right_class:
            raise CheckFailed(
                f"`{name}` raised {told_class(error)} for {fault}", "a ValueError", "test for it before you compute"
            ) from error
        if not error.text.strip():
            raise CheckFailed(f"the error for {fault} says nothing", "a message that says what is wrong") from error
        return error.text
    raise CheckFailed(f"`{name}` returned a result for {fault}", "a ValueError that says so")


def expect_accepted(student: Student, name: str, arguments: Iterable[Any], what: str) -> None:
    """No ValueError for arguments that are as they should be; any other error is another check's business."""
    try:
        student.ask(name, *arguments)
    except StudentError as error:
        if "NotImplementedError" in error.classes:
            raise
        if "ValueError" in error.classes:
            raise CheckFailed(f"`{name}` raised a ValueError for {what}", "a result: nothing is wrong with these") from error


def told_class(error: StudentError) -> str:
    """The class of an error as far as it is one of Python's usual ones; a student's own may be called anything."""
    usual = ("AssertionError", "TypeError", "IndexError", "KeyError", "RuntimeError")
    return next((name for name in usual if name in error.classes), "another error")


def wording(first: str, second: str) -> str:
    """What two messages for one fault, about inputs of different sizes, have in common: numbers that differ become one sign.

    So a message that only repeats the shapes is the same for every fault, and "fault 3" stays what it is.
    """
    left, right = re.split(r"(\d+)", first), re.split(r"(\d+)", second)
    if len(left) != len(right):
        left, right = ["#" if part.isdigit() else part for part in left], []
    common = "".join(a if not right or a == right[i] else "#" for i, a in enumerate(left))
    return re.sub(r"[(\[]?#(\s*,\s*#)*(,(?=[)\]]))?[)\]]?", "#", common)


def expect_told_apart(wordings: Mapping[str, set[str]]) -> None:
    """Each fault has a wording that no other fault has."""
    for fault, own in wordings.items():
        others = {text for other, texts in wordings.items() if other != fault for text in texts}
        if own <= others:
            raise CheckFailed(
                f"the message for {fault} is one that another fault gets too",
                "a message of its own for each fault",
                "name what is wrong: which input, and what it should have been",
            )
