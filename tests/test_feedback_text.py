"""Feedback as Markdown: what a student reads where there is no place for a page."""

from __future__ import annotations

import pytest
from nbgrader.api import Gradebook

from grading.cohort import find_work
from grading.course import Course, find_course
from grading.demo import make_cohorts, plans_with_cohorts
from grading.feedback import write_texts
from grading.feedback_text import Given, Total, feedback_text, plain, with_code
from grading.scoring import Hands, score_with_progress
from grading.verdict import CheckResult, Result, Verdict

NAME = "m2_variance"


def result(*checks: CheckResult) -> Result:
    return Result("ada", "m1_attention", "graded", 2.0, 3.0, 0.0, 7, (), checks, 0.1, "bubblewrap: …")


PASSED = CheckResult("one", "cell_a", 1.0, 1.0, Verdict.PASS, "Right: the shape of `out`.")
FAILED = CheckResult(
    "two", "cell_a", 0.0, 1.0, Verdict.FAIL, "Checked: values. Came back: 3 < 4 differ. Expected: `a*b`. Hint: see <b>?"
)
WAITS = CheckResult("three", "cell_b", 0.0, 1.0, Verdict.UNGRADED, "Checked: more.")


def test_every_check_is_told_with_its_points_and_its_parts() -> None:
    given = {"cell_a": Given(1.0, 2.0, False), "cell_b": Given(None, 1.0, False)}
    text = feedback_text(result(PASSED, FAILED, WAITS), Total(1.0, 3.0, 0.0, "a person will look"), given)
    assert text.splitlines() == [
        r"# m1\_attention: at least 1 of 3 points",
        "",
        "Not all of it is graded yet: a person will look.",
        "",
        r"## cell\_a: 1 of 2 points",
        "",
        "- **passed, 1 of 1**: the shape of `out`.",
        "- **fail, 0 of 1**: values.",
        r"    - Came back: 3 \< 4 differ.",
        "    - Expected: `a*b`.",
        r"    - Hint: see \<b\>?",
        "",
        r"## cell\_b: not graded yet",
        "",
        "- **not graded yet**: more.",
    ]


def test_a_persons_points_comments_and_lateness_are_told() -> None:
    given = {"cell_a": Given(2.0, 2.0, True, "well *argued*"), "proof_answer": Given(None, None, False, "see the board")}
    text = feedback_text(result(PASSED), Total(1.5, 3.0, 0.5), given)
    assert r"- Comment: well \*argued\*" in text
    assert "- These points were given by a person." in text
    assert "0.5 points were taken off because it came late." in text
    assert "## proof\\_answer\n" in text


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "[link](javascript:x)", "![](http://x)", "# title\n- list", "a `b"]
)
def test_what_a_student_wrote_is_no_markup(text: str) -> None:
    assert "\n" not in plain(text)
    for sign in "<>[]!#`":
        assert all(plain(text)[i - 1] == "\\" for i, c in enumerate(plain(text)) if c == sign and sign != "!")
    assert with_code("a `b` c*") == r"a `b` c\*"


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The sample cohort of one assignment, through the whole machine; a folder of feedback for everybody."""
    course = find_course(tmp_path_factory.mktemp("feedback"))
    plans = [plan for plan in plans_with_cohorts(course) if plan.assignment.name == NAME]
    make_cohorts(course, plans, course.submitted)
    score_with_progress(course, find_work(course, [NAME], None), Hands(workers=0))
    for student in course.submitted.iterdir():
        (course.run_root / "feedback" / student.name / NAME).mkdir(parents=True)
    return course


def test_the_sample_cohort_reads_its_points_and_known_mistakes(scored: Course, needs_sandbox: None) -> None:
    with Gradebook(f"sqlite:///{scored.gradebook}") as gradebook:
        comment = gradebook.find_submission(NAME, "arno-plain").notebooks[0].comments[0]
        comment.manual_comment = "Read, and liked."
        gradebook.db.commit()
    assert write_texts(scored, NAME) == []
    texts = {path.parent.parent.name: path.read_text() for path in (scored.run_root / "feedback").glob(f"*/{NAME}/{NAME}.md")}
    assert set(texts) == {path.name for path in scored.submitted.iterdir()}
    assert texts["arno-plain"].startswith("# m2\\_variance: at least 18 of 20 points")
    assert "a person reads what you wrote" in texts["arno-plain"]
    assert "Comment: Read, and liked." in texts["arno-plain"]
    assert "Hint: " in texts["edda-mean-for-sum"]
    assert "not graded yet" in texts["nora-not-json"]
    assert "at least 0 of" in texts["nora-not-json"]


def test_who_gets_no_feedback_is_named(scored: Course, needs_sandbox: None) -> None:
    (scored.run_root / "feedback" / "arno-plain").rename(scored.run_root / "feedback" / "elsewhere")
    assert write_texts(scored, NAME) == ["arno-plain"]
