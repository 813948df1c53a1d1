"""The paper of one student: fifteen questions drawn from the pool, as texts of the notebook and as checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader_tests.exam.family import Family, FaultyFamily, Sibling, read_pool, shown
from grader_tests.exam.kinds import KINDS
from grader_tests.exam.marking import question_checks, solution
from grader_tests.exam.question import Question, draw_question
from grader_tests.exam.wording import question_text, solution_line
from grading.checks import Check
from grading.variant import PRACTICE, Variant

# The kinds of the slots are the same in every paper, and so is what guessing earns.
SLOTS: Mapping[str, str] = {
    **dict.fromkeys(("A1", "A2", "A3", "A4", "A5", "A6"), "single"),
    **dict.fromkeys(("A7", "A8"), "multiple"),
    **dict.fromkeys(("A9", "A10", "A11"), "numeric"),
    "A12": "order",
    "A13": "match",
    "A14": "table",
    "A15": "lie",
}
MAP_CELLS = ("map-text", "map-answer")
# The practice paper's opening, which nobody grades: the reason that belongs to each arrow.
MAP = {"1 -> 2": "b", "2 -> 3": "a", "2 -> 4": "d", "3 -> 4": "c"}


@dataclass(frozen=True)
class Paper:
    """What part A is for one student, and the code that says so."""

    student: str
    questions: tuple[Question, ...]
    mark: str


def families_of(slot: str, pool: Sequence[Family]) -> tuple[Family, ...]:
    """The families that a slot draws from, by name. Raises FaultyFamily where there are none, or one is of another kind."""
    found = tuple(family for family in pool if family.slot == slot)
    if not found:
        raise FaultyFamily(f"no family of the pool belongs to {slot}")
    if other := [family.name for family in found if family.kind != SLOTS[slot]]:
        raise FaultyFamily(f"{other[0]}: {slot} takes questions of the kind {SLOTS[slot]!r} only")
    return found


def apart(one: str, its: Sibling, other: str, others: Sibling) -> bool:
    """Whether one of two questions, named as `family/2`, would answer the other, so that no paper may hold both."""
    pairs = ((its, other), (others, one))
    return any(name in sibling.apart for sibling, named in pairs for name in (named, named.partition("/")[0]))


def free_siblings(slot: str, pool: Sequence[Family], drawn: Mapping[str, Sibling]) -> list[tuple[Family, list[int]]]:
    """What a slot can still draw: families with the numbers of their siblings, counted from 1, that go with what was drawn.

    Raises FaultyFamily where nothing is left.
    """
    found = []
    for family in families_of(slot, pool):
        named = [(i, f"{family.name}/{i}", sibling) for i, sibling in enumerate(family.siblings, start=1)]
        kept = [i for i, name, sibling in named if not any(apart(name, sibling, *before) for before in drawn.items())]
        found += [(family, kept)] if kept else []
    if not found:
        raise FaultyFamily(f"{slot} has no question that goes with {', '.join(drawn)}")
    return found


def draw_paper(variant: Variant) -> Paper:
    """The paper of a variant. Pure; raises FaultyFamily where the pool cannot fill it."""
    questions: list[Question] = []
    drawn: dict[str, Sibling] = {}
    for slot in SLOTS:
        draws = variant.draws(slot)
        family, numbers = draws.choice(free_siblings(slot, read_pool(), drawn))
        question = draw_question(family, numbers, draws)
        questions.append(question)
        drawn[question.name] = family.siblings[question.number - 1]
    content = "\n".join(question_text(q) for q in questions)
    return Paper(variant.student, tuple(questions), variant.mark(content))


def guess_expectation() -> Fraction:
    """Points of part A that a guesser may expect, in any paper."""
    return sum((KINDS[kind].guess for kind in SLOTS.values()), Fraction(0))


def paper_checks(paper: Paper) -> Iterator[Check]:
    """The checks of all questions, in order."""
    for question in paper.questions:
        yield from question_checks(question)


def texts(paper: Paper) -> Iterator[tuple[str, str | None]]:
    """Texts of the notebook's cells, by cell id. Only the practice paper opens with the map of the lesson."""
    yield "paper-code", f"Paper of **{paper.student}**, code `{paper.mark}`. The code says whose paper this is; leave it in."
    if paper.student != PRACTICE:
        yield from ((cell, None) for cell in MAP_CELLS)
    for question in paper.questions:
        slot = question.slot.lower()
        yield f"{slot}-question", question_text(question)
        yield f"{slot}-answer", solution_line(question)


def key_sheet(paper: Paper) -> str:
    """The instructor's key to one paper, with the reason of every option, in Markdown."""
    parts = [f"# Key to the paper of {paper.student} ({paper.mark})"]
    if paper.student == PRACTICE:
        parts.append(f"The map of the lesson: `{MAP}`")
    for question in paper.questions:
        parts.append(f"{question_text(question)}\n\n({question.name}) **{solution(question)}**")
        reasons = [f"- {o.label or shown(o.key)}: {o.why}" for o in question.options]
        parts.append("\n".join([*reasons, *([f"- {question.why}"] if question.kind == "numeric" else [])]))
    return "\n\n".join(parts) + "\n"
