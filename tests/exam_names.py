"""What the exam's tests share: a secret of their own, drawn students, and their papers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from grader_tests.exam.kinds import KINDS, LETTERS, RIGHT
from grader_tests.exam.paper import SLOTS, Paper, draw_paper
from grader_tests.exam.question import Question
from grading.variant import Draws, derive

NAME = "exam_attention"
SECRET = bytes(range(32))
STUDENTS = tuple(f"student-{i:03d}" for i in range(200))


@cache
def paper_of(student: str) -> Paper:
    return draw_paper(derive(SECRET, NAME, student))


def papers() -> Iterator[Paper]:
    return map(paper_of, STUDENTS)


def questions(kind: str) -> list[Question]:
    """Every question of a kind in the papers of all students."""
    return [question for paper in papers() for question in paper.questions if question.kind == kind]


def guess(question: Question, draws: Draws) -> Any:
    """An answer drawn evenly from all that the question's text allows; numbers are not guessed but missed."""
    labels = [o.label for o in question.options]
    if question.kind in ("single", "lie"):
        return draws.choice(labels)
    if question.kind == "multiple":
        return draws.choice([list(chosen) for size in RIGHT for chosen in itertools.combinations(labels, size)])
    if question.kind == "order":
        return "".join(draws.shuffled(labels))
    if question.kind == "match":
        bins = LETTERS[: len(question.choices)]
        while set(drawn := [draws.choice(bins) for _ in labels]) != set(bins):
            pass
        return dict(zip(labels, drawn, strict=True))
    return -1.0 if question.kind == "numeric" else dict.fromkeys(labels, (0,))


def guess_deviation(kinds: Sequence[str] = tuple(SLOTS.values())) -> float:
    """Standard deviation of a guesser's points in questions of these kinds, all of one paper where none are named."""
    chances = [KINDS[kind].chances for kind in kinds]
    variance = sum((one + 4 * two - (one + 2 * two) ** 2 for one, two in chances), Fraction(0))
    return float(variance) ** 0.5
