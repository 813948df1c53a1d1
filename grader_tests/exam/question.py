"""A question as it stands in one paper: drawn from a sibling, with its numbers, its options and their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader_tests.exam.family import Family, Part, Sibling, Value, compute, fill, values_of
from grader_tests.exam.kinds import BINS, CELLS, CHOICES, ITEMS, KINDS, LETTERS, OPTIONS, RIGHT, Kind
from grading.variant import Draws

Key = bool | Value
_ROWS = "1234"


@dataclass(frozen=True)
class Option:
    """One option, step, item or cell of a question.

    `key` is what belongs to it: whether it is right, its place in the order, the letter of its choice, or the value of the cell.
    `origin` names it in the pool, whatever label it has in this paper.
    """

    label: str
    text: str
    why: str
    key: Key
    origin: str
    tolerance: float = 0.0


@dataclass(frozen=True)
class Question:
    """One of the fifteen questions of a paper. `value`, `tolerance` and `why` are a numeric question's own."""

    slot: str
    kind: str
    family: str
    number: int
    about: str
    text: str
    options: tuple[Option, ...]
    choices: tuple[str, ...] = ()
    value: Value = 0
    tolerance: float = 0.0
    why: str = ""

    @property
    def form(self) -> Kind:
        """What its kind says."""
        return KINDS[self.kind]

    @property
    def name(self) -> str:
        """Its name in the analysis of the exam."""
        return f"{self.family}/{self.number}"

    @property
    def key(self) -> str | float | dict[str, str | float | tuple[int, ...]]:
        """The right answer as a student would write it."""
        if self.kind == "numeric":
            return _plain(self.value)
        if self.kind == "order":
            return "".join(o.label for o in sorted(self.options, key=lambda o: _plain(o.key)))
        if self.kind in ("match", "table"):
            return {o.label: o.key for o in self.options}
        return "".join(o.label for o in self.options if o.key is True)


def _plain(value: Key) -> float:
    assert isinstance(value, (int, float))
    return value


def draw_question(family: Family, numbers: Sequence[int], draws: Draws) -> Question:
    """One of the family's siblings of these numbers, counted from 1; its values, and its options in an order of their own."""
    number = draws.choice(numbers)
    sibling = family.siblings[number - 1]
    drawn = {name: draws.choice(values) for name, values in sibling.numbers.items()}
    values = values_of(sibling, drawn)
    choices = tuple(draws.shuffled(sibling.choices))
    chosen = _DRAWN[family.kind](sibling, choices, draws)
    options = tuple(_option(label, part, key, origin, drawn, values) for label, part, key, origin in chosen)
    value = compute(sibling.answer, drawn) if sibling.answer else 0
    texts = {"text": fill(sibling.text, values), "why": fill(sibling.why, values)}
    return Question(
        family.slot,
        family.kind,
        family.name,
        number,
        family.about,
        options=options,
        choices=choices,
        value=value,
        tolerance=sibling.tolerance,
        **texts,
    )


Chosen = tuple[str, Part, Key, str]
"""Label, part, key and origin of an option."""


def _option(label: str, part: Part, key: Key, origin: str, drawn: Mapping[str, Value], values: Mapping[str, Value]) -> Option:
    computed = compute(part.answer, drawn) if part.answer else key
    return Option(label, fill(part.text, values), fill(part.why, values), computed, origin, part.tolerance)


def _named(sibling: Sibling, name: str) -> list[tuple[Part, str]]:
    """The parts of a list with their names in the pool."""
    return [(part, f"{name}-{i}") for i, part in enumerate(sibling.lists[name], start=1)]


def _lettered(parts: Sequence[tuple[Part, str]], right: str) -> list[Chosen]:
    """Options with letters, the key telling whether they come from the list `right`."""
    return [(label, part, origin.startswith(f"{right}-"), origin) for label, (part, origin) in zip(LETTERS, parts, strict=False)]


def _one_of(right: str, rest: str) -> Callable[[Sibling, tuple[str, ...], Draws], list[Chosen]]:
    def drawn(sibling: Sibling, choices: tuple[str, ...], draws: Draws) -> list[Chosen]:
        """One part of the list `right`, the others of `rest`."""
        parts = [draws.choice(_named(sibling, right)), *draws.sample(_named(sibling, rest), OPTIONS - 1)]
        return _lettered(draws.shuffled(parts), right)

    return drawn


def _some_of(sibling: Sibling, choices: tuple[str, ...], draws: Draws) -> list[Chosen]:
    """Two or three right options among five, so that each letter is right as often as not."""
    count = draws.choice(RIGHT)
    parts = [*draws.sample(_named(sibling, "right"), count), *draws.sample(_named(sibling, "wrong"), CHOICES - count)]
    return _lettered(draws.shuffled(parts), "right")


def _steps(sibling: Sibling, choices: tuple[str, ...], draws: Draws) -> list[Chosen]:
    """All steps in any order, the right one too; the key is a step's place in the right order."""
    steps = [(part, origin, place) for place, (part, origin) in enumerate(_named(sibling, "steps"), start=1)]
    shuffled = draws.shuffled(steps)
    return [(label, part, place, origin) for label, (part, origin, place) in zip(LETTERS, shuffled, strict=False)]


def _items(sibling: Sibling, choices: tuple[str, ...], draws: Draws) -> list[Chosen]:
    """One item of each choice, and one more."""
    items = draws.shuffled(_named(sibling, "items"))
    first = [next(item for item in items if item[0].choice == choice) for choice in choices]
    more = [item for item in items if item not in first][: ITEMS - BINS]
    shuffled = draws.shuffled([*first, *more])
    letter = dict(zip(choices, LETTERS, strict=False))
    return [(row, part, letter[part.choice], origin) for row, (part, origin) in zip(_ROWS, shuffled, strict=True)]


def _cells(sibling: Sibling, choices: tuple[str, ...], draws: Draws) -> list[Chosen]:
    """Four cells, in the order of the pool."""
    cells = _named(sibling, "cells")
    kept = sorted(draws.sample(range(len(cells)), CELLS))
    return [(row, *cells[i][:1], 0, cells[i][1]) for row, i in zip(_ROWS, kept, strict=True)]


def _mistakes(sibling: Sibling, choices: tuple[str, ...], draws: Draws) -> list[Chosen]:
    """The known mistakes, which the paper does not show."""
    return [("", part, 0, origin) for part, origin in _named(sibling, "wrong")]


_DRAWN: Mapping[str, Callable[[Sibling, tuple[str, ...], Draws], list[Chosen]]] = {
    "single": _one_of("right", "wrong"),
    "lie": _one_of("lies", "truths"),
    "multiple": _some_of,
    "order": _steps,
    "match": _items,
    "table": _cells,
    "numeric": _mistakes,
}
