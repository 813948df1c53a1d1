"""Item analysis, against values computed by hand on a small cohort."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import pytest

from grading.course import find_course
from grading.report import render_report
from grading.report.items import FEWEST, analyse
from grading.verdict import CheckResult, Finding, Item, Result, Verdict

# Four papers, three questions of 2 points: the pattern of a perfect scale.
PERFECT = {"ann": (1, 1, 1), "bob": (1, 1, 0), "cat": (1, 0, 0), "dan": (0, 0, 0)}


def one_check(cell: str, right: bool, item: Item | None, verdict: Verdict | None = None) -> CheckResult:
    decided = verdict or (Verdict.PASS if right else Verdict.FAIL)
    return CheckResult(f"{cell}_right", cell, 2.0 * right, 2.0, decided, "", item)


def result(student: str, checks: Sequence[CheckResult]) -> Result:
    points, most = sum(c.points for c in checks), sum(c.max_points for c in checks)
    return Result(student, "exam", "graded", points, most, 0.0, 1, (), tuple(checks), 0.1, "here")


def cohort(rights: dict[str, tuple[int, ...]], wrong: str = "wrong-1") -> list[Result]:
    """Papers in which every place has the same question for all."""
    return [
        result(s, [one_check(f"q{i}", bool(r), Item(f"family{i}/1", ("right-1" if r else wrong,))) for i, r in enumerate(row)])
        for s, row in rights.items()
    ]


def test_difficulty_discrimination_and_reliability_by_hand() -> None:
    """KR-20: 3/2 · (1 - (3/16 + 4/16 + 3/16) / (5/4)) = 3/4. Point-biserial: (M1 - M0) / s · sqrt(pq) with the points elsewhere.

    q1: elsewhere 4, 2 for who is right and 2, 0 for who is wrong, s = sqrt 2: (3 - 1) / sqrt 2 · 1/2. q0: elsewhere 4, 2, 0
    and 0, mean 3/2, s = sqrt(11/4): 2 / sqrt(11/4) · sqrt(3/16). q2 mirrors q0.
    """
    found = analyse(cohort(PERFECT))
    assert found is not None
    assert found.papers == 4
    assert [place.difficulty for place in found.places] == [0.75, 0.5, 0.25]
    assert found.reliability == pytest.approx(0.75)
    discriminations = [place.discrimination for place in found.places]
    edge = 2 / math.sqrt(11 / 4) * math.sqrt(3 / 16)
    assert discriminations == pytest.approx([edge, 1 / math.sqrt(2), edge])


def test_what_was_chosen_is_counted_question_by_question() -> None:
    found = analyse(cohort(PERFECT))
    assert found is not None
    assert [(q.name, q.cell, q.chosen) for q in found.questions] == [
        ("family0/1", "q0", (("right-1", 3), ("wrong-1", 1))),
        ("family1/1", "q1", (("right-1", 2), ("wrong-1", 2))),
        ("family2/1", "q2", (("wrong-1", 3), ("right-1", 1))),
    ]


def test_questions_drawn_for_one_place_are_told_apart_and_places_put_together() -> None:
    drawn = [
        result(str(i), [one_check("q1", i % 2 == 0, Item(f"family/{1 + i % 2}", ())), one_check("q10", True, Item("x/1"))])
        for i in range(6)
    ]
    found = analyse(drawn)
    assert found is not None
    assert [(p.name, p.papers, p.difficulty) for p in found.places] == [("q1", 6, 0.5), ("q10", 6, 1.0)]
    assert [(q.name, q.papers, q.difficulty) for q in found.questions] == [("family/1", 3, 1), ("family/2", 3, 0), ("x/1", 6, 1)]
    assert found.questions[1].chosen == (("nothing", 3),)
    assert found.places[1].discrimination is None
    assert found.reliability == pytest.approx(2 * (1 - 0.25 / 0.25))


def test_half_a_question_counts_half_and_is_not_right_for_the_reliability() -> None:
    half = [
        CheckResult("q0_most", "q0", 1, 1, Verdict.PASS, "", Item("f/1", ("a",))),
        CheckResult("q0_all", "q0", 0, 1, Verdict.FAIL, "", Item("f/1", ("a",))),
    ]
    found = analyse([result("ann", [*half, one_check("q1", True, Item("g/1"))])])
    assert found is not None
    assert found.places[0].difficulty == 0.5
    assert found.questions[0].chosen == (("a", 1),)
    assert found.reliability is None


def test_undecided_papers_and_assignments_without_questions_are_left_out() -> None:
    waiting = result("eve", [one_check("q0", False, Item("f/1"), Verdict.UNGRADED)])
    assert analyse([waiting]) is None
    assert analyse([result("ann", [one_check("q0", True, None)])]) is None
    assert analyse([]) is None
    found = analyse([*cohort(PERFECT), waiting])
    assert found is not None
    assert found.papers == 4


TEN = {f"s{i}": (int(i >= 5), int(i >= 3), int(i >= 4), int(i < 2)) for i in range(10)}


def test_a_question_whose_key_looks_wrong_is_flagged() -> None:
    """The last question is right for the two weakest papers alone, and eight chose the same wrong option."""
    found = analyse(cohort(TEN, "wrong-3"))
    assert found is not None
    assert [q.flags for q in found.questions[:3]] == [(), (), ()]
    assert found.questions[3].flags == (
        "better papers got it wrong more often",
        "more chose wrong-3 than what the key says",
    )
    nobody = analyse(cohort({s: (*row[:3], 0) for s, row in TEN.items()}, "wrong-3"))
    assert nobody is not None
    assert nobody.questions[3].flags == ("nobody got it right", "more chose wrong-3 than what the key says")


def test_answers_that_differ_are_no_favourite_and_places_have_no_options_in_common() -> None:
    """Wrong numbers are as many answers as papers, and wrong-3 of one question of a place is not wrong-3 of the next."""
    found = analyse(cohort(TEN, "another number"))
    assert found is not None
    assert found.questions[3].flags == ("better papers got it wrong more often",)
    drawn = []
    for i, student in enumerate(TEN):
        item = Item(f"family/{i % 3}", ("right-1" if i >= 8 else "wrong-3",))
        drawn.append(result(student, [one_check("q", i >= 8, item), one_check("r", i > 5, None)]))
    found = analyse(drawn)
    assert found is not None
    assert found.places[0].flags == ()


def test_a_paper_that_was_somebody_elses_says_nothing_of_its_questions() -> None:
    stray = result("eve", [one_check(f"q{i}", False, Item(f"family{i}/1", ("wrong-1",))) for i in range(3)])
    stray = dataclasses.replace(stray, findings=(Finding("another-paper", None, "told"),))
    assert analyse([stray]) is None
    assert analyse([*cohort(PERFECT), stray]) == analyse(cohort(PERFECT))


def test_few_papers_are_no_reason_to_suspect_a_key() -> None:
    found = analyse(cohort(dict(list(TEN.items())[:7])))
    assert found is not None
    assert all(q.flags == () for q in (*found.places, *found.questions))


def test_the_report_shows_the_analysis_of_an_exam_and_none_of_homework() -> None:
    page = render_report(cohort(TEN, "wrong-3"), "Report")
    assert f"fewer than {FEWEST} papers" in page
    assert f"fewer than {FEWEST} papers" in (find_course().root / "docs" / "exam.md").read_text()
    assert "Kuder and Richardson" in page
    assert "wrong-3 8, right-1 2" in page
    assert "better papers got it wrong more often; " in page
    assert "Kuder" not in render_report([result("ann", [one_check("q0", True, None)])], "Report")
