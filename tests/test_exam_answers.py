"""Answers of the exam: a right answer in an odd form earns what it would in the usual one, and a wrong one does not."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from grader_tests.exam.kinds import KINDS, longest_in_order
from grader_tests.exam.marking import mark, question_checks
from grader_tests.exam.question import Option, Question
from grading.messages import Explanation
from grading.student import local_student
from grading.verdict import CheckResult, Verdict


def question(kind: str, keys: str | list[Any], **rest: Any) -> Question:
    """A question of a kind whose options have these keys."""
    labels = "1234" if kind in ("match", "table") else "ABCDE"
    options = [
        Option(label, f"text {label}", f"why {label}", key, f"option-{i}", rest.get("within", 0.0))
        for i, (label, key) in enumerate(zip(labels, keys, strict=False), start=1)
    ]
    own = {k: v for k, v in rest.items() if k != "within"}
    return Question("A3", kind, "family", 1, "about", "text", tuple(options), **own)


SINGLE = question("single", [False, True, False, False])
SEVERAL = question("multiple", [True, False, True, False, True])
ORDER = question("order", [3, 1, 2, 5, 4])  # B C A E D
MATCH = question("match", ["A", "C", "B", "A"], choices=("query", "keys", "values"))
TABLE = question("table", [(2, 3), (4,), 8, 1.5], within=0.01)
VALUES = replace(
    SINGLE, options=tuple(replace(o, text=t) for o, t in zip(SINGLE.options, ("1", "10", "100", "8.5"), strict=True))
)
NUMBER = question("numeric", [4.0], value=0.25, tolerance=0.005)
WHOLE = question("numeric", [4], value=1_802_240)
WHOLES = question("table", [1_024, (2, 3), 8, 1_802_240])


def verdicts(asked: Question, namespace: dict[str, Any]) -> list[CheckResult]:
    return [c.run(local_student(namespace, c.cell), 1, Explanation({})) for c in question_checks(asked)]


def points(asked: Question, value: Any) -> float:
    """What the checks give, asked over the pipe's own encoding."""
    results = verdicts(asked, {"answer": {"A3": value}})
    assert all(r.verdict in (Verdict.PASS, Verdict.FAIL) for r in results), [r.message for r in results]
    return sum(r.points for r in results)


def forms(asked: Question, *values: Any) -> list[tuple[Question, Any]]:
    return [(asked, value) for value in values]


def marked(asked: Question, earned: int, *values: Any) -> list[tuple[Question, Any, int]]:
    return [(asked, value, earned) for value in values]


RIGHT: list[tuple[Question, Any]] = [
    *forms(SINGLE, "B", "b", " B ", "B.", "(b)", "B)", "B: text B", ["B"], ("b",), {"B"}, frozenset("B")),
    *forms(SINGLE, np.str_("B"), np.array(["B"]), "text B", " Text b. ", {"B": True, "A": False}, "'B'", "B\n"),
    *forms(SINGLE, "B text B", "b - Text b.", "Option B", "option b.", {" B"}, {"B": None}.keys()),
    *forms(VALUES, "B", 10, "10", "B 10"),
    *forms(SEVERAL, {" A", "c ", "E"}, {"E": 1, "A": 2, "C": 3}.keys()),
    *forms(
        ORDER, "B < C < A < E < D", "1. B\n2. C\n3. A\n4. E\n5. D", "5) D, 4) E, 3) A, 2) C, 1) B", dict.fromkeys("BCAED").keys()
    ),
    *forms(MATCH, [("1", "A"), ("2", "C"), ("4", "A"), (3, "b")]),
    *forms(NUMBER, "~0.25", "= 0.25", "≈ 1/4"),
    *forms(SEVERAL, "ACE", "ace", "A, C, E", "A C E", "A,C and E", "a/c/e", "ECA", "[A, C, E]", "A; C; E", "A+C+E"),
    *forms(SEVERAL, ["A", "C", "E"], ("e", "a", "c"), {"A", "C", "E"}, frozenset("ace"), ["A.", "C.", "E."]),
    *forms(SEVERAL, np.array(["A", "C", "E"]), {"A": True, "B": False, "C": True, "D": False, "E": True}, ["ACE"]),
    *forms(SEVERAL, ["A", "A", "C", "E"], {"A": 1, "C": 1, "E": 1}),
    *forms(ORDER, "BCAED", "b c a e d", "B, C, A, E, D", "B > C > A > E > D", "B -> C -> A -> E -> D", list("BCAED")),
    *forms(ORDER, tuple("bcaed"), np.array(list("BCAED")), "B-C-A-E-D", ["BCAED"]),
    *forms(ORDER, "B → C → A → E → D", "B→C→A→E→D", dict(enumerate("BCAED", start=1)), dict(enumerate("bcaed", start=1))),
    *forms(ORDER, {"5": "D", "4": "E", "3": "A", "2": "C", "1": "B"}, {"1.": "B.", "2.": "C", "(3)": ["A"], 4.0: "E", 5: "D"}),
    *forms(MATCH, {"A": [1, 4], "B": 3, "C": 2}, {"a": (1, 4), "b": [3], "c": "2"}, {"A": "1, 4", "B": "3", "C": 2.0}),
    *forms(
        MATCH,
        {"A": ["4", "1"], "B.": "3", "(C)": 2},
        {"A": "1 and 4", "B": np.int64(3), "C": 2},
        {"A": np.array([1, 4]), "B": 3, "C": 2},
    ),
    *forms(MATCH, "1→A, 2→C, 3→B, 4→A"),
    *forms(MATCH, {"1": "A", "2": "C", "3": "B", "4": "A"}, {1: "a", 2: "c", 3: "b", 4: "a"}, "ACBA", "A C B A"),
    *forms(MATCH, ["A", "C", "B", "A"], ("a", "c", "b", "a"), "1A 2C 3B 4A", "1: A, 2: C, 3: B, 4: A", "1-A,2-C,3-B,4-A"),
    *forms(MATCH, {"1": "query", "2": "Values", "3": " keys ", "4": "A"}, OrderedDict({"1": "A", "2": "C", "3": "B", "4": "A"})),
    *forms(MATCH, {"1.": "A", "2.": "C", "(3)": "B", 4.0: ["A"]}, np.array(list("ACBA"))),
    *forms(
        TABLE,
        {"1": (2, 3), "2": (4,), "3": 8, "4": 1.5},
        {1: [2, 3], 2: [4], 3: 8.0, 4: 1.505},
        [(2, 3), (4,), 8, 1.5],
        {"1": torch.Size([2, 3]), "2": torch.tensor([4]), "3": torch.tensor(8), "4": np.float32(1.5)},
        {"1": "(2, 3)", "2": "(4,)", "3": "8", "4": "3/2"},
        {"1": "2 x 3", "2": "[4]", "3": np.int64(8), "4": torch.tensor([1.5])},
        {"1": np.array([2, 3]), "2": "torch.Size([4])", "3": (8,), "4": "1.5"},
        {"1": (2.0, 3.0), "2": [np.int64(4)], "3": 8, "4": 1.491},
    ),
    *forms(NUMBER, 0.25, 1 / 4, 0.2549, "0.25", " 0.25 ", "1/4", [0.25], (0.25,), np.float64(0.25), np.float32(0.25)),
    *forms(NUMBER, torch.tensor(0.25), torch.tensor([0.25]), np.array(0.25), np.array([[0.25]]), Fraction(1, 4)),
    *forms(
        WHOLE, 1802240, "1802240", "1,802,240", " 1,802,240 ", ["1,802,240"], (1, 802, 240), "1_802_240", "1 802 240", 1802240.0
    ),
    *forms(WHOLES, ["1,024", (2, 3), 8, (1, 802, 240)], {"1": 1024, "2": "2, 3", "3": "8", "4": "1,802,240"}),
    *forms(NUMBER, Decimal("0.25"), torch.tensor(0.25, requires_grad=True), ".25", "2.5e-1", "+0.25"),
]


def named(cases: Sequence[tuple[Any, ...]]) -> list[str]:
    """Kinds and numbers: how a set or a function is written differs from process to process."""
    return [f"{case[0].kind}-{number}-{type(case[1]).__name__}" for number, case in enumerate(cases)]


@pytest.mark.parametrize(("asked", "form"), RIGHT, ids=named(RIGHT))
def test_a_right_answer_in_an_odd_form_earns_full_marks(asked: Question, form: Any) -> None:
    assert points(asked, form) == 2


WRONG: list[tuple[Question, Any, int]] = [
    *marked(VALUES, 0, 1, 8.5, 100, 11, True, "A 10", "Option A"),
    *marked(ORDER, 0, "1. B\n2. C", "1. B 1. C 3. A 4. E 5. D"),
    *marked(MATCH, 0, [("1", "A"), ("1", "C"), ("4", "A"), ("3", "B")]),
    *marked(SINGLE, 0, "A", "E", "AB", "B C", ["A", "B"], {"A", "B"}, 1, True, 2.0, "the best", b"B", lambda: "B"),
    *marked(SINGLE, 0, torch.tensor(1), "text", "answer B", "B or C", {"A": True, "B": True}, "z" * 30_000),
    *marked(SEVERAL, 1, "AC", "ACDE", ["A", "E"], {"A", "B", "C", "E"}, "ABCE"),
    *marked(SEVERAL, 0, "A", "ABCDE", "BD", "all", ["A", 7], {"A", 7}, 3, "F", "A (and C?)", {"A": "yes"}),
    *marked(MATCH, 1, {"A": 1, "B": 3, "C": 2}, {"A": [1], "B": [3, 4], "C": 2}),
    *marked(
        WHOLE,
        0,
        "1,80,2240",
        "1,802,24",
        "1.802,240",
        (1, 802, 24),
        (1802, 240),
        (1, 802, 240.0),
        (1, 802, True),
        "1,802",
        (1, 802),
    ),
    *marked(WHOLE, 0, ",802,240", "1,802,240,", "1,802,240 or so", "0,802", (-1, 802, 240), (1, -802, 240)),
    *marked(NUMBER, 0, "0,250", "0,25", (0, 250), (0, 25)),
    *marked(ORDER, 1, {1: "C", 2: "B", 3: "A", 4: "E", 5: "D"}),
    *marked(ORDER, 1, "CBAED", "BCADE", "CABED", "DBCAE"),
    *marked(ORDER, 0, "ABCDE", "DEACB", "BCAE", "BC", "BCAEDF", "BBCAE", 24153, ["B", "C", None, "E", "D"]),
    *marked(MATCH, 1, "ACBB", {"1": "A", "2": "C", "3": "B"}, {"1": "A", "2": "C", "3": "B", "4": "Z"}, ["A", "C", "B", None]),
    *marked(MATCH, 0, "ABCA", "AC", {"1": "A"}, {"A": "2", "B": "1", "C": "3"}, 1231, "AAAA", {"5": "A"}),
    *marked(
        TABLE,
        1,
        {"1": (3, 2), "2": (4,), "3": 8, "4": 1.5},
        {"1": (2, 3), "2": (4,), "3": 8, "4": 1.52},
        {"1": (2, 3), "2": (4,), "3": 8},
    ),
    *marked(TABLE, 0, {"1": (2, 3)}, [], "2, 3", [(2, 3), (4,)], torch.zeros(4), {"1": (2, 3, 1), "2": (5,), "3": 8, "4": 1.5}),
    *marked(NUMBER, 0, 4.0, 0.26, "a quarter", "25 %", 0.25j, torch.tensor([0.25, 0.25]), float("nan"), float("inf")),
    *marked(NUMBER, 0, "1/0", "nan", 10**400, "1e999999999", "__import__('os')", True, None, torch.tensor(0.25j)),
]


@pytest.mark.parametrize(("asked", "form", "earned"), WRONG, ids=named(WRONG))
def test_a_wrong_answer_earns_the_part_that_is_right_and_raises_nothing(asked: Question, form: Any, earned: int) -> None:
    assert points(asked, form) == earned


@pytest.mark.parametrize(
    ("asked", "form", "told"),
    [
        (ORDER, {"A": 3, "B": 1, "C": 2, "D": 5, "E": 4}, "a dict whose keys are not the places 1 to 5"),
        (ORDER, dict(enumerate("BCAED")), "a dict whose keys are not the places 1 to 5"),
        (ORDER, {1: "B", 2: "C", 3: "A", 4: "E"}, "a dict whose keys are not the places 1 to 5"),
        (ORDER, {1: "B", "1": "B", 2: "C", 3: "A", 4: "E", 5: "D"}, "a dict whose keys are not the places 1 to 5"),
        (MATCH, {"A": [1, 4], "B": 3, "C": [2, 4]}, "a dict from letters to rows with a row under two letters"),
        (MATCH, {"A": [1, 5], "B": 3, "C": 2}, "with something that is not one of the rows 1 to 4"),
        (MATCH, {"A": True, "B": 3, "C": 2}, "with something that is not one of the rows 1 to 4"),
        (MATCH, {10: "A", "": "B", "AB": "C"}, "a dict where an entry for each of the rows 1 to 4 was asked for"),
        (MATCH, {"first": "A", "second": "C"}, "a dict where an entry for each of the rows 1 to 4 was asked for"),
        (TABLE, {"A": (2, 3), "B": (4,)}, "a dict where an entry for each of the rows 1 to 4 was asked for"),
    ],
)
def test_a_dict_that_leaves_a_doubt_is_refused_with_what_is_wrong_with_it(asked: Question, form: Any, told: str) -> None:
    results = verdicts(asked, {"answer": {"A3": form}})
    assert [r.points for r in results] == [0] * len(results)
    assert told in results[0].message, [r.message for r in results]


class Odd:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("asked", [SINGLE, SEVERAL, ORDER, MATCH, TABLE, NUMBER], ids=lambda q: q.kind)
@pytest.mark.parametrize("form", [None, "", "  ", "?", "...", ..., [], (), {}, [None], {"1": None}, [""], [[]]], ids=repr)
def test_no_answer_is_told_as_such(asked: Question, form: Any) -> None:
    results = verdicts(asked, {"answer": {"A3": form}})
    assert [r.points for r in results] == [0] * len(results)
    assert "Came back: no answer." in results[0].message
    assert all(r.item is not None and r.item.chosen == () for r in results)


@pytest.mark.parametrize("asked", [SINGLE, SEVERAL, ORDER, MATCH, TABLE, NUMBER], ids=lambda q: q.kind)
@pytest.mark.parametrize("form", [Odd(), Odd, print, object(), {"a": Odd()}, [Odd()] * 4, torch.zeros(2, 2), 1j, b"A", range(3)])
def test_nothing_that_stands_in_the_place_of_an_answer_is_an_error_of_ours(asked: Question, form: Any) -> None:
    results = verdicts(asked, {"answer": {"A3": form}})
    assert all(r.verdict is Verdict.FAIL for r in results), [r.message for r in results]


@pytest.mark.parametrize("key", ["A3", "a3", " A3 ", 3, "3"])
def test_the_key_of_an_answer_may_be_written_in_other_ways(key: Any) -> None:
    assert verdicts(SINGLE, {"answer": {"A1": "C", key: "B", "A13": "C"}})[0].points == 2


def test_one_letter_for_a_matching_is_told_as_the_text_it_is() -> None:
    assert "the text 'A' where an entry for each" in verdicts(MATCH, {"answer": {"A3": "A"}})[0].message


@pytest.mark.parametrize("huge", [[0] * 160_000, list(range(400_000)), [[1] * 1000] * 400, ["x" * 20_000] * 500], ids=range(4))
def test_a_value_that_is_far_too_large_costs_its_own_question_and_no_other(huge: list[Any]) -> None:
    assert verdicts(SINGLE, {"answer": {"A9": huge, "A3": "B", "rough notes": huge}})[0].points == 2
    (result,) = verdicts(SINGLE, {"answer": {"A3": huge}})
    assert (result.verdict, "no notebook sends" in result.message) == (Verdict.FAIL, False)


@pytest.mark.parametrize("answers", [None, [], "B", Odd(), {}, {"A4": "B"}], ids=lambda a: type(a).__name__)
def test_an_answer_variable_that_is_no_dict_costs_the_questions_that_it_does_not_answer(answers: Any) -> None:
    assert [r.verdict for r in verdicts(SINGLE, {"answer": answers})] == [Verdict.FAIL]


@pytest.mark.parametrize(
    ("text", "earned"),
    [
        ('# YOUR CODE HERE\nraise NotImplementedError()\nanswer["A3"] = "B"', 2),
        ("answer['A3'] = 'b'", 2),
        ('answer = "B"', 2),
        ('answer = {"A3": "B", "A4": "C"}', 2),
        ('answer = {"A4": "B"}', 0),
        ('A3 = "B"', 2),
        ('"B"', 2),
        ('a4 = "B"', 0),
        ('print("B")', 0),
        ('answer["A3"] = "A"\nanswer["A3"] = "B"', 2),
        ('answer["A3"] = "B"\nanswer["A3"] = "A"', 0),
        ('answer["A3"] = {"B"}', 2),
        ('answer["A3"] = chr(66)', 0),
        ('answers["A3"] = "B"', 0),
        ('answer["A3" = "B"', 0),
        ('answer["A3"] = ' + "[" * 5000, 0),
        ("x = 1\n" * 5000 + 'answer["A3"] = "B"', 0),
    ],
    ids=[
        "below the stub",
        "plain",
        "no dict",
        "a dict",
        "another in a dict",
        "a name",
        "alone",
        "another name",
        "printed",
        "last wins",
        "last wins too",
        "set",
        "computed",
        "another",
        "no Python",
        "deep",
        "long",
    ],
)
def test_an_answer_in_a_cell_that_stopped_before_it_is_read_from_the_text(text: str, earned: int) -> None:
    (only,) = question_checks(SINGLE)
    student = local_student({"answer": {}}, only.cell, {"exam_a3_answer": text})
    assert only.run(student, 1, Explanation({})).points == earned


def test_what_was_computed_counts_before_the_text() -> None:
    (only,) = question_checks(SINGLE)
    student = local_student({"answer": {"A3": "B"}}, only.cell, {"exam_a3_answer": 'answer["A3"] = "A"'})
    assert only.run(student, 1, Explanation({})).points == 2


# What is told, and what is kept for the analysis.


def test_a_wrong_option_is_told_with_why_it_tempts_and_why_the_right_one_is_right() -> None:
    (result,) = verdicts(SINGLE, {"answer": {"A3": "c"}})
    assert result.message == "Checked: A3, about. Came back: C, text C. Expected: B, text B. Hint: why C why B."
    assert result.item is not None
    assert (result.item.name, result.item.chosen) == ("family/1", ("option-3",))


def test_a_known_mistake_of_a_number_is_named() -> None:
    (result,) = verdicts(NUMBER, {"answer": {"A3": 4}})
    assert "Came back: 4. Expected: 0.25. Hint: why A." in result.message
    assert result.item is not None
    assert result.item.chosen == ("option-1",)
    assert mark(NUMBER, 7).chosen == ("another number",)
    assert mark(NUMBER, 0.25).chosen == ("right",)


@pytest.mark.parametrize(
    ("asked", "answer"), [(SEVERAL, "BD"), (ORDER, "EDCBA"), (MATCH, "BAAB"), (TABLE, {"1": 1, "2": 2}), (SEVERAL, None)]
)
def test_what_is_told_of_a_question_in_two_halves_is_told_once(asked: Question, answer: Any) -> None:
    most, all_of_it = verdicts(asked, {"answer": {"A3": answer}})
    assert (most.points, all_of_it.points) == (0, 0)
    assert "Hint: " in most.message
    assert all_of_it.message == "Checked: A3, about. Came back: the answer of the line above. Expected: all of it right."
    assert most.item == all_of_it.item


def test_the_half_that_is_missing_is_told_in_full() -> None:
    most, all_of_it = verdicts(SEVERAL, {"answer": {"A3": "AC"}})
    assert (most.points, all_of_it.points) == (1, 0)
    assert all_of_it.message.endswith("Came back: A, C. Expected: A, C, E. Hint: E: why E.")


def test_what_was_misjudged_is_told_row_by_row() -> None:
    assert mark(SEVERAL, "AC").reasons == ("E: why E",)
    assert mark(MATCH, "ACBB").reasons == ("4: why 4",)
    assert mark(MATCH, "ACBB").chosen == ("option-1=query", "option-2=values", "option-3=keys", "option-4=keys")
    assert mark(ORDER, "CBAED").reasons == ("B: why B", "C: why C")


@pytest.mark.parametrize(("order", "kept"), [((1, 2, 3), 3), ((3, 2, 1), 1), ((2, 3, 1), 2), ((5, 1, 2, 3, 4), 4), ((), 0)])
def test_the_longest_part_in_order(order: tuple[int, ...], kept: int) -> None:
    assert longest_in_order(order) == kept


def test_chances_of_a_guess_by_hand() -> None:
    """By counting what the question allows.

    Two or three of five: 20 sets, one right, three off by one letter. Order of five: one right, 16 with one step out of place, of
    120. Matching: 36 use all letters, 4 of them are off by one.
    """
    assert KINDS["single"].guess == Fraction(1, 2)
    assert KINDS["multiple"].guess == Fraction(3 + 2, 20)
    assert KINDS["order"].guess == Fraction(16 + 2, 120)
    assert KINDS["match"].guess == Fraction(4 + 2, 36)
    assert KINDS["numeric"].guess == KINDS["table"].guess == 0
