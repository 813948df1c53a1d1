"""The exam's papers, for 200 drawn students: they differ, all are equally hard to guess, and nothing gives an answer away."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook

from grader_tests.exam.family import read_pool
from grader_tests.exam.kinds import KINDS
from grader_tests.exam.marking import mark
from grader_tests.exam.paper import MAP, SLOTS, families_of, guess_expectation
from grader_tests.exam.wording import question_text
from grading.build import release_notebook
from grading.course import Plan, find_course, load_plan, personal_plan
from grading.demo import hand_in
from grading.notebooks import write
from grading.rebuild import rebuild
from grading.runners import LocalRunner
from grading.score import cells_to_run, score
from grading.submission import Submission
from grading.variant import MARK, PRACTICE, Variant, derive
from grading.verdict import Result
from grading.whose_paper import paper_findings
from tests.exam_names import NAME, SECRET, STUDENTS, guess, guess_deviation, paper_of, papers, questions

SEED = 20_240
GUESSES = 50  # of each student


@pytest.fixture(scope="module")
def practice() -> Plan:
    return load_plan(find_course(), NAME)


def graded(plan: Plan, student: str, notebook: object) -> Result:
    return score(Submission(student, NAME, write(notebook).encode()), plan, LocalRunner(), SEED).result


def even(counts: Counter[str], labels: str, total: int, share: float) -> bool:
    """Whether each label occurs in its share of `total` draws, within 4.5 standard deviations; the draws never change."""
    width = (total * share * (1 - share)) ** 0.5
    return all(abs(counts[label] - total * share) < 4.5 * width for label in labels)


def test_what_nbgrader_keeps_of_an_assignment_is_the_same_for_all(practice: Plan) -> None:
    """Graded and written cells: a gradebook that one student's paper was put into takes every other's."""
    kept = [(c.metadata, c.source) for c in release_notebook(practice.blueprint.notebook).cells if "nbgrader" in c.metadata]
    for student in STUDENTS[:5]:
        notebook = release_notebook(personal_plan(practice, SECRET, student).blueprint.notebook)
        assert [(c.metadata, c.source) for c in notebook.cells if "nbgrader" in c.metadata] == kept


def test_every_student_is_asked_the_same_number_of_things_for_the_same_points(practice: Plan) -> None:
    agreed = [(c.name, c.cell, c.points) for c in practice.assignment.checks]
    for student in STUDENTS:
        plan = personal_plan(practice, SECRET, student)
        assert [(c.name, c.cell, c.points) for c in plan.assignment.checks] == agreed


def test_points_reachable_by_guessing_are_the_same_for_all() -> None:
    for paper in papers():
        assert {q.slot: q.kind for q in paper.questions} == SLOTS
        assert sum((q.form.guess for q in paper.questions), Fraction(0)) == guess_expectation()


# What docs/exam.md calls the kinds, in the order of its table.
NAMED = {
    "single": "one of four",
    "multiple": "several of five, two or three of them right",
    "numeric": "a number",
    "order": "five steps to be ordered",
    "match": "four rows, three letters, each used",
    "table": "a table of four entries",
    "lie": "the one statement of four that does not hold",
}


def test_what_the_documentation_says_of_guessing_is_what_the_formulas_give() -> None:
    told = (find_course().root / "docs" / "exam.md").read_text()
    assert set(NAMED) == set(KINDS)
    for kind, words in NAMED.items():
        places = [slot for slot, used in SLOTS.items() if used == kind]
        where = ", ".join(places) if len(places) < 3 else f"{places[0]} to {places[-1]}"
        assert f"\n| {words} | {where} | {KINDS[kind].guess}" in told, kind
    assert (
        f"{float(guess_expectation()):.2f} of 50 points on average, with a standard deviation of {guess_deviation():.2f}" in told
    )
    assert f"{len(STUDENTS) * GUESSES:,} guessed papers of {len(STUDENTS)} students" in told
    assert f"(standard error {guess_deviation() / (len(STUDENTS) * GUESSES) ** 0.5:.3f})" in told


@pytest.fixture(scope="module")
def guessed() -> list[list[tuple[str, int]]]:
    """Kinds and points of the questions of guessed papers."""
    found = []
    for paper in papers():
        draws = Variant(NAME, paper.student, b"a guesser").draws("guesses")
        found += [[(q.kind, mark(q, guess(q, draws)).points) for q in paper.questions] for _ in range(GUESSES)]
    return found


def test_a_guesser_earns_what_is_expected(guessed: list[list[tuple[str, int]]]) -> None:
    """The mean is within five of its standard errors, whose chance to fail is below 1e-6; the draws never change."""
    totals = [sum(points for _, points in paper) for paper in guessed]
    assert len(totals) == len(STUDENTS) * GUESSES
    assert abs(sum(totals) / len(totals) - float(guess_expectation())) < 5 * guess_deviation() / len(totals) ** 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_a_guess_earns_what_is_expected_of_its_kind(kind: str, guessed: list[list[tuple[str, int]]]) -> None:
    points = [points for paper in guessed for of, points in paper if of == kind]
    assert abs(sum(points) / len(points) - float(KINDS[kind].guess)) <= 5 * guess_deviation([kind]) / len(points) ** 0.5


def test_no_letter_is_the_right_one_more_often_than_others() -> None:
    singles = [str(q.key) for kind in ("single", "lie") for q in questions(kind)]
    assert even(Counter(singles), "ABCD", len(singles), 1 / 4)
    orders, several, matched = questions("order"), questions("multiple"), questions("match")
    for place in range(5):
        assert even(Counter(str(q.key)[place] for q in orders), "ABCDE", len(orders), 1 / 5)
    assert even(Counter(letter for q in several for letter in str(q.key)), "ABCDE", len(several), 1 / 2)
    assert even(Counter(str(o.key) for q in matched for o in q.options), "ABC", 4 * len(matched), 1 / 3)


def test_no_letter_gives_a_family_away() -> None:
    for family in (f for f in read_pool() if f.kind in ("single", "lie")):
        keys = Counter(str(q.key) for q in questions(family.kind) if q.family == family.name)
        assert even(keys, "ABCD", keys.total(), 1 / 4), family.name


def test_papers_differ(practice: Plan) -> None:
    assert len({paper.mark for paper in papers()}) == len(STUDENTS)
    texts = [[question_text(q) for q in paper.questions] for paper in papers()]
    same = [sum(a == b for a, b in zip(one, other, strict=True)) for one, other in itertools.pairwise(texts)]
    assert max(same) <= 4
    assert sum(same) / len(same) < 1.5
    drawn = Counter(q.name for paper in papers() for q in paper.questions)
    assert set(drawn) == {f"{f.name}/{i}" for f in read_pool() for i in range(1, len(f.siblings) + 1)}, "some are never drawn"


def test_the_pool_is_large_enough() -> None:
    assert len(read_pool()) >= 24
    assert all(len(families_of(slot, read_pool())) >= 2 for slot in SLOTS)


# A paper is a function of secret, exam and name.


def test_a_variant_depends_on_secret_exam_and_name_and_the_practice_paper_on_no_secret() -> None:
    keys = {
        derive(secret, exam, student).key
        for secret in (SECRET, bytes(32))
        for exam in (NAME, "another", NAME + "1")
        for student in ("alice", "bob", "1alice", "")
    }
    assert len(keys) == 24
    assert derive(SECRET, NAME, PRACTICE) == derive(bytes(32), NAME, PRACTICE)
    assert derive(SECRET, NAME, PRACTICE).key != derive(SECRET, NAME, "Practice").key
    assert derive(SECRET, NAME, "E\u0301va").key == derive(SECRET, NAME, "\u00c9va").key
    assert derive(SECRET, NAME, os.fsdecode(b"\xff")).key != derive(SECRET, NAME, os.fsdecode(b"\xfe")).key


def test_draws_are_even_and_the_same_everywhere() -> None:
    draws = derive(bytes(32), "exam", "student").draws("test")
    assert [draws.below(1000) for _ in range(6)] == FIRST_DRAWS
    counts = Counter(str(draws.below(7)) for _ in range(7000))
    assert even(counts, "0123456", 7000, 1 / 7)
    orders = Counter(["abc", "acb", "bac", "bca", "cab", "cba"].index("".join(draws.shuffled("abc"))) for _ in range(6000))
    assert even(Counter(map(str, orders.elements())), "012345", 6000, 1 / 6)


# By hand: HMAC-SHA256 under the variant's key of "test:0", "test:1" and so on, the first eight bytes modulo 1000.
FIRST_DRAWS = [780, 429, 21, 735, 873, 615]

_PROGRAM = """
from grader_tests.exam.paper import draw_paper
from grading.variant import derive
print(draw_paper(derive(bytes(range(32)), "exam_attention", "student-007")).mark)
"""


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_a_paper_does_not_depend_on_the_order_of_sets_or_dicts(seed: str) -> None:
    command = [sys.executable, "-c", _PROGRAM]
    own = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(find_course().root), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == paper_of("student-007").mark, done.stderr


# Whose paper it is.


def test_a_paper_carries_its_code_in_its_text_and_in_the_ids_of_its_cells(practice: Plan) -> None:
    plan = personal_plan(practice, SECRET, "alice")
    released = release_notebook(plan.blueprint.notebook)
    assert MARK.findall("\n".join(cell.source for cell in released.cells)) == [plan.mark]
    assert sum(plan.mark in cell.id for cell in released.cells) == 31
    assert any("Paper of **alice**" in cell.source for cell in released.cells)


def test_a_paper_under_another_name_is_a_finding_and_graded_by_the_own_key(practice: Plan) -> None:
    alice, bob = (personal_plan(practice, SECRET, name) for name in ("alice", "bob"))
    result = graded(bob, "bob", hand_in(alice, ""))
    found = next(f for f in result.findings if f.kind == "another-paper")
    assert alice.mark in found.message
    assert bob.mark in found.message
    assert 20 <= result.points < 45, "part B is right, and of part A what happens to agree"
    bare = hand_in(bob, "")
    for cell in bare.cells:
        cell.source, cell.id = MARK.sub("", cell.source), MARK.sub("", cell.id)
    result = graded(bob, "bob", bare)
    assert result.points == 50
    assert "no-paper-code" in {f.kind for f in result.findings}


def findings_of(plan: Plan, notebook: NotebookNode) -> list[str]:
    return [f.kind for f in paper_findings(notebook, plan.blueprint, plan.mark)]


def with_code(notebook: NotebookNode, mark: str) -> NotebookNode:
    """A notebook whose codes were all replaced."""
    for cell in notebook.cells:
        cell.source, cell.id = MARK.sub(mark, cell.source), MARK.sub(mark, cell.id)
    return notebook


def test_the_code_of_the_own_paper_does_not_hide_the_questions_of_another(practice: Plan) -> None:
    plans = [personal_plan(practice, SECRET, student) for student in STUDENTS[:8]]
    for one, other in itertools.permutations(plans, 2):
        copied = with_code(hand_in(one, ""), other.mark)
        assert findings_of(other, copied) == ["another-paper"]
        for cell in copied.cells:
            cell.id = cell.id.replace(other.mark, "x")
        assert findings_of(other, copied) == ["another-paper"]


@pytest.mark.parametrize("student", STUDENTS[:8])
def test_notes_and_missing_cells_do_not_make_a_paper_another(practice: Plan, student: str) -> None:
    plan = personal_plan(practice, SECRET, student)
    assert findings_of(plan, hand_in(plan, "")) == []
    noted = hand_in(plan, "")
    for cell in noted.cells:
        if cell.source.startswith("## A"):
            cell.source = cell.source.replace("- **B** ", "- ~~**B**~~ ").replace("\n\n", "\r\n \r\n") + "\n\nNote: not B."
    assert findings_of(plan, noted) == []
    bare = hand_in(plan, "")
    bare.cells = [cell for cell in bare.cells if not cell.source.startswith("## A")]
    assert findings_of(plan, bare) == []


def test_a_single_question_that_was_rewritten_is_told_by_its_name(practice: Plan) -> None:
    plan = personal_plan(practice, SECRET, "alice")
    notebook = hand_in(plan, "")
    (cell,) = (cell for cell in notebook.cells if cell.source.startswith("## A3\n"))
    cell.source = "## A3\n\nWhat would I rather be asked?"
    (found,) = paper_findings(notebook, plan.blueprint, plan.mark)
    assert found.kind == "changed-question"
    assert "A3" in found.message


def test_only_the_practice_paper_opens_with_the_map(practice: Plan) -> None:
    def ids(plan: Plan) -> set[str]:
        return {cell.id for cell in plan.blueprint.notebook.cells}

    assert {"map-text", "map-answer"} <= {MARK.sub("", cell).rstrip("-") for cell in ids(practice)}
    assert not any(cell.startswith("map") for cell in ids(personal_plan(practice, SECRET, "alice")))
    (cell,) = (cell for cell in practice.blueprint.notebook.cells if cell.id == "map-answer")
    namespace: dict[str, dict[str, object]] = {}
    exec(cell.source, namespace)
    assert namespace["MAP"] == dict.fromkeys(MAP)


# What a released paper must not hold.


@pytest.mark.parametrize("student", STUDENTS[:20])
def test_a_released_paper_holds_no_answer_no_reason_and_no_name_of_a_check(practice: Plan, student: str) -> None:
    plan = personal_plan(practice, SECRET, student)
    released = write(release_notebook(plan.blueprint.notebook))
    for check in plan.assignment.checks:
        assert check.name not in released
    for question in paper_of(student).questions:
        reasons = [question.why, *(o.why for o in question.options), question.name, question.family]
        assert not [reason for reason in reasons if reason and reason in released]
        assert not [o.origin for o in question.options if re.search(rf"\b{o.origin}\b", released)]
    assert "BEGIN" not in released


def test_nothing_of_the_key_goes_where_student_code_runs(practice: Plan) -> None:
    plan = personal_plan(practice, SECRET, "alice")
    for notebook in (release_notebook(plan.blueprint.notebook), new_notebook()):
        texts = [cell.source for cell in cells_to_run(rebuild(notebook, plan.blueprint), plan)]
        assert not [text for text in texts if re.search(r"^answer\[", text, re.MULTILINE) or "SOLUTION" in text]


def test_a_plan_without_anything_personal_is_left_alone() -> None:
    plan = load_plan(find_course(), "m1_attention")
    assert personal_plan(plan, SECRET, "alice") is plan
    assert (plan.mark, plan.template, plan.sheet) == ("", None, "")
