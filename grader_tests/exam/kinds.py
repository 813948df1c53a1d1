"""The kinds of question of part A: what each is made of, and what it is worth to somebody who guesses."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

LETTERS = "ABCDE"
POINTS = 2


@dataclass(frozen=True)
class Kind:
    """What a sibling of this kind must hold.

    `lists` gives, by name of a list of parts, its smallest and largest length (None: any); `parts` the keys that each part has
    beside `text` and `why`; `fields` the sibling's own keys beside `text`, `numbers` and `derived`. `chances` are the
    probabilities of 1 and of 2 points for an answer drawn evenly from all that the question's text allows.
    """

    lists: Mapping[str, tuple[int, int | None]]
    parts: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    chances: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    how_scored: str = "Right: 2 points."

    @property
    def partial(self) -> bool:
        """Whether an answer can earn one of the two points."""
        return self.chances[0] > 0 or "1 point" in self.how_scored

    @property
    def guess(self) -> Fraction:
        """Expected points of a guess."""
        return self.chances[0] + POINTS * self.chances[1]


OPTIONS = 4  # of a single choice, and statements among which one is a lie
CHOICES = 5  # of a multiple choice
RIGHT = (2, 3)  # how many of them are right, as the question says
STEPS = 5
ITEMS, BINS = 4, 3  # of a matching question
CELLS = 4


def _multiple() -> tuple[Fraction, Fraction]:
    """Sets of as many letters as the question says are right, against one of them: all have as many neighbours among them."""
    allowed = [set(s) for size in RIGHT for s in itertools.combinations(range(CHOICES), size)]
    wrong = [len(s ^ allowed[0]) for s in allowed]
    return Fraction(wrong.count(1), len(allowed)), Fraction(wrong.count(0), len(allowed))


def _order() -> tuple[Fraction, Fraction]:
    """Orders of the steps in which all, or all but one, stand in the right order relative to each other."""
    kept = [longest_in_order(order) for order in itertools.permutations(range(STEPS))]
    return Fraction(kept.count(STEPS - 1), len(kept)), Fraction(kept.count(STEPS), len(kept))


def _match() -> tuple[Fraction, Fraction]:
    """Assignments that use every letter, as the question says they do, against one of them: all have the same neighbours."""
    allowed = [a for a in itertools.product(range(BINS), repeat=ITEMS) if set(a) == set(range(BINS))]
    right = [sum(x == y for x, y in zip(a, allowed[0], strict=True)) for a in allowed]
    return Fraction(right.count(ITEMS - 1), len(allowed)), Fraction(right.count(ITEMS), len(allowed))


def longest_in_order(order: tuple[int, ...]) -> int:
    """How many of the numbers can be left standing so that they rise."""
    best: list[int] = []
    for i, value in enumerate(order):
        best.append(1 + max((best[j] for j in range(i) if order[j] < value), default=0))
    return max(best, default=0)


_ONE_OF_FOUR = (Fraction(0), Fraction(1, OPTIONS))
_NUMBER = ("answer", "tolerance")

KINDS: Mapping[str, Kind] = {
    "single": Kind({"right": (1, 1), "wrong": (OPTIONS - 1, None)}, chances=_ONE_OF_FOUR),
    "lie": Kind({"lies": (1, None), "truths": (OPTIONS - 1, None)}, chances=_ONE_OF_FOUR),
    "multiple": Kind(
        {"right": (3, None), "wrong": (3, None)},
        chances=_multiple(),
        how_scored="All five options judged rightly: 2 points; four of five: 1 point.",
    ),
    "numeric": Kind({"wrong": (1, None)}, ("answer",), (*_NUMBER, "why")),
    "order": Kind(
        {"steps": (STEPS, STEPS)},
        chances=_order(),
        how_scored="All five in the right order: 2 points; if four of them are in the right order among themselves: 1 point.",
    ),
    "match": Kind(
        {"items": (ITEMS, None)},
        ("choice",),
        ("choices",),
        chances=_match(),
        how_scored="All four right: 2 points; three of four: 1 point.",
    ),
    "table": Kind({"cells": (CELLS, None)}, _NUMBER, how_scored="All four entries right: 2 points; three of four: 1 point."),
}
