"""Marking: an answer against a question of a paper, and the checks of each of the fifteen questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from grader_tests.exam.answers import NotUnderstood, is_empty, letter, letters, matched, number, order, rows, shape
from grader_tests.exam.entries import read_answer
from grader_tests.exam.family import shown
from grader_tests.exam.kinds import LETTERS, POINTS, longest_in_order
from grader_tests.exam.question import Option, Question
from grading.checks import Check, CheckFailed
from grading.student import Student
from grading.verdict import ANOTHER, Item

NOTHING = "no answer"
# A right formula on a calculator is right to six digits; what a question's text rounds away is in its own tolerance.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Mark:
    """Points of an answer, what was read in it, the options it chose (by their names in the pool), and the reasons to tell."""

    points: int
    came: str
    chosen: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def mark(question: Question, value: Any) -> Mark:
    """The mark of an answer; one that is missing or cannot be understood earns nothing and stops nothing."""
    if is_empty(value):
        return Mark(0, NOTHING, (), (solution_reason(question),))
    try:
        return _MARKED[question.kind](question, value)
    except NotUnderstood as error:
        return Mark(0, str(error), (), (solution_reason(question),))


def _mark_one(question: Question, value: Any) -> Mark:
    copied = [o for o in question.options if _copies(value, o)]
    chosen = copied[0].label if len(copied) == 1 else letter(value, [o.label for o in question.options])
    option = next(o for o in question.options if o.label == chosen)
    reasons = () if option.key is True else (option.why, solution_reason(question))
    return Mark(POINTS if option.key is True else 0, f"{option.label}, {option.text}", (option.origin,), reasons)


def _copies(value: Any, option: Option) -> bool:
    """Whether an answer is an option's text, alone or after its letter, or the number that is its text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value) == option.text
    forms = (option.text, f"{option.label} {option.text}", f"{option.label} - {option.text}")
    return isinstance(value, str) and len(value) > 1 and bare(value) in map(bare, forms)


def bare(text: str) -> str:
    """A text without what differs between a copy and its original."""
    return "".join(text.casefold().split()).replace("`", "").rstrip(".")


def _mark_several(question: Question, value: Any) -> Mark:
    chosen = letters(value, [o.label for o in question.options])
    wrong = [o for o in question.options if (o.label in chosen) is not o.key]
    origins = tuple(o.origin for o in question.options if o.label in chosen)
    points = POINTS if not wrong else 1 if len(wrong) == 1 else 0
    return Mark(points, ", ".join(sorted(chosen)), origins, tuple(f"{o.label}: {o.why}" for o in wrong))


def _mark_order(question: Question, value: Any) -> Mark:
    labels = [o.label for o in question.options]
    found = order(value, labels)
    by_label = {o.label: o for o in question.options}
    kept = longest_in_order(tuple(_place(by_label[label]) for label in found))
    complete = len(found) == len(labels)
    points = POINTS if kept == len(labels) else 1 if complete and kept == len(labels) - 1 else 0
    origins = ("order-" + "".join(str(_place(by_label[label])) for label in found),)
    misplaced = [o for o in question.options if label_at(found, _place(o)) != o.label]
    return Mark(points, "".join(found), origins, tuple(f"{o.label}: {o.why}" for o in misplaced[:3]))


def label_at(order: list[str], place: int) -> str:
    """The label at a place of an order, counted from 1; nothing beyond its end."""
    return order[place - 1] if place <= len(order) else ""


def _place(option: Option) -> int:
    assert isinstance(option.key, int)
    return option.key


def _mark_match(question: Question, value: Any) -> Mark:
    bins = LETTERS[: len(question.choices)]
    entries = matched(value, [o.label for o in question.options], bins)
    given = {row: _choice(entry, question, bins) for row, entry in entries.items()}
    wrong = [o for o in question.options if given.get(o.label) != o.key]
    origins = tuple(f"{o.origin}={_named_choice(question, given.get(o.label, ''))}" for o in question.options)
    return _mark_rows(question, given, wrong, origins)


def _choice(entry: Any, question: Question, bins: str) -> str:
    """The letter of a choice, written as its letter or in its own words."""
    words = {choice.casefold(): bin_ for choice, bin_ in zip(question.choices, bins, strict=True)}
    if isinstance(entry, str) and entry.strip().casefold() in words:
        return words[entry.strip().casefold()]
    try:
        return letter(entry, bins)
    except NotUnderstood:
        return "?"


def _named_choice(question: Question, label: str) -> str:
    return question.choices[LETTERS.index(label)] if label and label in LETTERS else "nothing"


def _mark_table(question: Question, value: Any) -> Mark:
    given = rows(value, [o.label for o in question.options])
    wrong = [o for o in question.options if not _cell_right(o, given.get(o.label))]
    shown_rows = {o.label: _told(o, given[o.label]) for o in question.options if o.label in given}
    origins = tuple(f"{o.origin}={f'{ANOTHER} entry' if o in wrong else 'right'}" for o in question.options if o.label in given)
    return _mark_rows(question, shown_rows, wrong, origins)


def _mark_rows(question: Question, given: Mapping[str, str], wrong: list[Option], origins: tuple[str, ...]) -> Mark:
    came = ", ".join(f"{row}: {given[row]}" for row in sorted(given)) or NOTHING
    points = POINTS if not wrong else 1 if len(wrong) == 1 else 0
    return Mark(points, came, origins, tuple(f"{o.label}: {o.why}" for o in wrong[:3]))


def _cell_right(option: Option, entry: Any) -> bool:
    try:
        if isinstance(option.key, tuple):
            return shape(entry) == option.key
        return _near(number(entry, whole=not option.tolerance), option.key, option.tolerance)
    except NotUnderstood:
        return False


def _told(option: Option, entry: Any) -> str:
    whole = not option.tolerance and not isinstance(option.key, tuple)
    for read in (partial(number, whole=whole), shape):
        try:
            return shown(read(entry))
        except NotUnderstood:
            continue
    return "?"


def _mark_number(question: Question, value: Any) -> Mark:
    found = number(value, whole=not question.tolerance)
    if _near(found, question.value, question.tolerance):
        return Mark(POINTS, shown(found), ("right",))
    known = next((o for o in question.options if _near(found, o.key, question.tolerance)), None)
    reasons = (known.why, question.why) if known else (question.why,)
    return Mark(0, shown(found), (known.origin if known else f"{ANOTHER} number",), reasons)


def _near(found: float, value: object, tolerance: float) -> bool:
    assert isinstance(value, (int, float))
    return math.isfinite(found) and abs(found - value) <= tolerance + _ROUNDING * abs(value)


_MARKED: Mapping[str, Callable[[Question, Any], Mark]] = {
    "single": _mark_one,
    "lie": _mark_one,
    "multiple": _mark_several,
    "order": _mark_order,
    "match": _mark_match,
    "table": _mark_table,
    "numeric": _mark_number,
}


def solution(question: Question) -> str:
    """The right answer in words."""
    if question.kind in ("single", "lie"):
        return next(f"{o.label}, {o.text}" for o in question.options if o.key is True)
    if isinstance(question.key, dict):
        return ", ".join(f"{row}: {shown(entry)}" for row, entry in question.key.items())
    return shown(question.key) if isinstance(question.key, (int, float)) else ", ".join(question.key)


def solution_reason(question: Question) -> str:
    """Why the right answer is right, as far as one or two reasons say it."""
    if question.kind in ("table", "order", "match"):
        return f"{question.options[0].label}: {question.options[0].why}"
    return " ".join([o.why for o in question.options if o.key is True][:2]) or question.why


def question_checks(question: Question) -> Iterator[Check]:
    """One check of two points, or two of one point where part of an answer counts."""
    cell = f"exam_{question.slot.lower()}"
    if not question.form.partial:
        yield _check(question, cell, f"{cell}_right", POINTS, POINTS)
        return
    yield _check(question, cell, f"{cell}_most", 1, 1)
    yield _check(question, cell, f"{cell}_all", 1, POINTS)


def _check(question: Question, cell: str, name: str, points: int, needed: int) -> Check:
    def ask(student: Student, generator: torch.Generator) -> Item:
        """Passes where the answer's mark reaches what this check needs."""
        marked = mark(question, read_answer(student, question.slot))
        item = Item(question.name, marked.chosen)
        if marked.points < needed:
            if needed > points > marked.points:  # the first half has told it all
                raise CheckFailed("the answer of the line above", "all of it right", item=item)
            hint = " ".join(filter(None, marked.reasons)).rstrip(".")
            raise CheckFailed(marked.came.rstrip("."), solution(question).rstrip("."), hint, item=item)
        return item

    about = question.about + (", at least most of it" if needed < POINTS else "")
    # No name is kept when the graded cell ends: answers may all be written in one cell at the end of the notebook.
    return Check(name, cell, points, (), f"{question.slot}, {about}", ask)
