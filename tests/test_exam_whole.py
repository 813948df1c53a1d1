"""200 drawn students' papers, each graded whole as handed in: the key, the empty paper, and what a guesser writes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from nbformat.notebooknode import NotebookNode

from grader_tests.exam.marking import mark
from grader_tests.exam.paper import SLOTS, guess_expectation
from grading.build import release_notebook
from grading.course import Plan, find_course, load_plan, personal_plan
from grading.demo import without_markers
from grading.notebooks import write
from grading.runners import LocalRunner
from grading.score import score
from grading.submission import Submission
from grading.variant import MARK, Variant
from grading.verdict import Result, Verdict
from tests.exam_names import NAME, SECRET, STUDENTS, guess, guess_deviation, paper_of

SEED = 20_240
RUNNER = LocalRunner()
PART_B = {"projected_dot_attention": 10.0, "calibrated_attention": 10.0}


@pytest.fixture(scope="module")
def practice() -> Plan:
    return load_plan(find_course(), NAME)


def place_of(cell: NotebookNode) -> str:
    """The cell's id in the template, without the paper's code."""
    return MARK.sub("", cell.id).rstrip("-")


def solutions_of(plan: Plan) -> dict[str, str]:
    """What the key writes into each answer cell of parts A and B, by the cell's place."""
    cells = without_markers(plan.blueprint.notebook).cells
    return {place: c.source for c in cells if (place := place_of(c)).endswith("-answer") and c.cell_type == "code"}


def handed_in(released: NotebookNode, answers: Mapping[str, str]) -> bytes:
    """The paper as it was given out, with answers in some of its cells, by place."""
    cells = [NotebookNode({**cell, "source": answers.get(place_of(cell), cell.source)}) for cell in released.cells]
    return write(NotebookNode({**released, "cells": cells})).encode()


def names_of(student: str) -> dict[str, str]:
    """What to call the graded cells of a student's paper, so that a difference says which question of the pool it is."""
    drawn = {f"exam_{q.slot.lower()}": f"{student}, {q.slot}, {q.name}" for q in paper_of(student).questions}
    return {**drawn, **{cell: f"{student}, {cell}" for cell in PART_B}}


def earned(result: Result) -> dict[str, float]:
    """Points of each graded cell."""
    names = names_of(result.student)
    found = dict.fromkeys(names.values(), 0.0)
    for check in result.checks:
        found[names[check.cell]] += check.points
    return found


def due(student: str, part_a: Mapping[str, float], part_b: Mapping[str, float] | None = None) -> dict[str, float]:
    """Points of each graded cell that a paper must earn, from those of its places in part A and of part B's functions."""
    wanted = {**{f"exam_{slot.lower()}": points for slot, points in part_a.items()}, **(part_b or dict.fromkeys(PART_B, 0.0))}
    return {name: wanted[cell] for cell, name in names_of(student).items()}


def guesses_of(student: str) -> dict[str, object]:
    """What the guesser answers in a student's paper, by slot."""
    draws = Variant(NAME, student, b"a guesser of whole papers").draws("guesses")
    return {question.slot: guess(question, draws) for question in paper_of(student).questions}


def marks_of(student: str) -> dict[str, float]:
    """What these guesses are worth, by slot."""
    guesses = guesses_of(student)
    return {q.slot: float(mark(q, guesses[q.slot]).points) for q in paper_of(student).questions}


@pytest.mark.parametrize("student", STUDENTS)
def test_a_paper_is_graded_whole_for_the_key_for_nothing_and_for_guesses(practice: Plan, student: str) -> None:
    """Part B with it: 50 of 50 for the key, 0 for the paper as it was given out, and for guesses what each of them is worth."""
    plan = personal_plan(practice, SECRET, student)
    released = release_notebook(plan.blueprint.notebook)

    def graded(answers: Mapping[str, str]) -> Result:
        result = score(Submission(student, NAME, handed_in(released, answers)), plan, RUNNER, SEED).result
        undecided = [check.check for check in result.checks if check.verdict is Verdict.UNGRADED]
        assert (result.status, undecided) == ("graded", []), student
        return result

    key = graded(solutions_of(plan))
    assert earned(key) == due(student, dict.fromkeys(SLOTS, 2.0), PART_B)
    assert (key.points, key.max_points, key.findings) == (50, 50, ()), student
    nothing = graded({})
    assert earned(nothing) == due(student, dict.fromkeys(SLOTS, 0.0))
    assert {finding.kind for finding in nothing.findings} == {"cell-error"}, student
    guesses = {f"{slot.lower()}-answer": f'answer["{slot}"] = {value!r}' for slot, value in guesses_of(student).items()}
    assert earned(graded(guesses)) == due(student, marks_of(student))


def test_the_guessers_mean_over_these_papers_is_what_is_expected() -> None:
    """Within five standard errors of a mean of 200, whose chance to be left is below 1e-6; the draws never change."""
    totals = [sum(marks_of(student).values()) for student in STUDENTS]
    error = guess_deviation() / len(totals) ** 0.5
    assert abs(sum(totals) / len(totals) - float(guess_expectation())) < 5 * error
    assert len(set(totals)) > 5, "guesses differ from paper to paper"


def test_the_key_fills_every_answer_cell_and_no_other(practice: Plan) -> None:
    asked = {f"{slot.lower()}-answer" for slot in SLOTS}
    functions = {"projected-dot-attention-answer", "calibrated-attention-answer"}
    assert {place for place in solutions_of(practice) if place != "map-answer"} == asked | functions
