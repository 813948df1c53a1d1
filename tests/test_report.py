"""The report of a scoring run: what it says, what it never says, and that it says the same every time."""

from __future__ import annotations

import io
import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from rich.console import Console

from grading.report import render_report, render_table
from grading.report.cost import cost_of
from grading.report.page import Mistake, by_assignment, by_student, common_hints, common_messages, parts
from grading.report.words import number, percent
from grading.verdict import CheckResult, Finding, Result, Verdict, decide_status, earned, sum_points

CELLS = {"values": "attention", "batched": "attention", "gradients": "attention", "lookup": "hard_lookup", "claims": "claims"}
POINTS = {"values": 3.0, "batched": 2.0, "gradients": 1.5, "lookup": 2.0, "claims": 1.5}
SANDBOX = "bubblewrap: no network"
HINT = "these are the weights without the scale"
MESSAGES = {
    Verdict.PASS: "Right: the values.",
    Verdict.FAIL: f"Checked: the values. Came back: weights that differ. Expected: agreement. Hint: {HINT}.",
    Verdict.ERROR: "Checked: the values. `attention` raised TypeError.",
    Verdict.TIMEOUT: "Checked: the values. Your code did not come back in time (10 s). Is there a loop that never ends?",
    Verdict.MEMORY: "Checked: the values. Your code asked for more memory than a submission may have.",
    Verdict.FORBIDDEN: "Checked: the values. The answer uses a ready-made attention.",
    Verdict.UNGRADED: "This check could not be decided (KeyError); a person will look at it.",
}
STUDENTS = tuple(f"student {letter}" for letter in "abcdefghijklmnopqrst")


def checked(name: str, verdict: Verdict) -> CheckResult:
    """The result of one check."""
    return CheckResult(name, CELLS[name], earned(verdict, POINTS[name]), POINTS[name], verdict, MESSAGES[verdict])


def made(student: str, letters: str = "PPPPP", findings: tuple[Finding, ...] = (), assignment: str = "m1") -> Result:
    """A result with one letter a check: P, F, E, T, M, X (forbidden) or U (ungraded)."""
    named = dict(zip("PFETMXU", Verdict, strict=True))
    checks = tuple(checked(name, named[letter]) for name, letter in zip(CELLS, letters, strict=False))
    total = sum_points(c.points for c in checks)
    return Result(student, assignment, decide_status(checks), total, 10.0, 0.0, 1, findings, checks, 0.1, SANDBOX)


@pytest.fixture
def cohort() -> list[Result]:
    """Twenty students, every verdict, one file that is no notebook."""
    letters = ["PPPPP", "FPPPP", "PFFPP", "EEEPP", "PPPTP", "MPPPP", "XPPPP", "PPUPP", "FFFFF"]
    results = [made(student, letters[i % len(letters)]) for i, student in enumerate(STUDENTS[:-1])]
    return [*results, made(STUDENTS[-1], "UUUUU", (Finding("unreadable", None, "The file is not JSON."),))]


class Page(HTMLParser):
    """Tags, attributes and text of a page, as far as the tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.in_cell = False
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.in_cell:
            self.rows[-1][-1] += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every tag of a name."""
        return [attributes for name, attributes in self.tags if name == tag]

    def rows_of(self, name: str) -> list[list[str]]:
        """The table rows that begin with a text."""
        return [row for row in self.rows if row and row[0] == name]


def test_every_student_and_every_check_is_there(cohort: list[Result]) -> None:
    page = Page(render_report(cohort, "Results"))
    for student in STUDENTS:
        # The scores, and the grid; findings for some.
        assert len(page.rows_of(student)) >= 2
    for name, cell in CELLS.items():
        [row] = page.rows_of(name)
        assert row[1:3] == [cell, number(POINTS[name])]


def test_a_number_is_shown_for_graded_submissions_alone(cohort: list[Result]) -> None:
    page = Page(render_report(cohort, "Results"))
    for result in cohort:
        score_cells = [cell for row in page.rows_of(result.student) for cell in row[1:] if cell.endswith((" / 10", " of 10"))]
        shown = f"at least {number(result.points)} of 10" if result.status == "ungraded" else f"{number(result.points)} / 10"
        assert score_cells == [shown, shown]


@pytest.mark.parametrize("status", ["ungraded", "", "a status of tomorrow"])
def test_a_status_that_is_not_graded_gets_no_number(status: str) -> None:
    text = render_report([replace(made("ada"), status=status)], "Results")
    assert "10 / 10" not in text
    assert "at least 10 of 10" in text


def test_ungraded_submissions_are_not_in_the_distribution(cohort: list[Result]) -> None:
    [view] = by_assignment(by_student(cohort))
    graded = [r for r in cohort if r.status == "graded"]
    assert sum(bar.count for bar in view.chart.bars) == len(graded) == len(view.graded) == 17
    assert view.chart.bars[0].count == sum(r.points < 1 for r in graded)
    assert "17 graded" in Page(render_report(cohort, "Results")).text


def test_a_run_without_any_graded_submission_has_an_empty_distribution() -> None:
    page = Page(render_report([made("ada", "UUUUU"), made("bob", "PU")], "Results"))
    assert "0 graded" in page.text
    assert "Median" not in page.text
    [svg] = [s for s in page.named("svg") if s.get("role") == "img"]
    assert str(svg["aria-label"]).endswith("none graded")


def test_halves_fall_into_the_bin_below_and_full_marks_into_the_last() -> None:
    [view] = by_assignment([made("ada", "PPFFF"), made("bob", "PPFFP"), made("cy")])
    assert {bar.points: bar.count for bar in view.chart.bars if bar.count} == {5: 1, 6: 1, 10: 1}
    assert len(view.chart.bars) == 11


def test_ungraded_submissions_stand_on_top_with_a_reason_and_advice(cohort: list[Result]) -> None:
    text = Page(render_report(cohort, "Results")).text
    top = text[: text.index("Distribution of scores")]
    assert "Ungraded: 3 submissions wait" in top
    for said in (
        "The file is not JSON.",
        "ask the student for the notebook",
        "Undecided: gradients.",
        "pytest grader_tests --submission",
    ):
        assert said in top


def test_a_command_to_paste_quotes_the_students_folder() -> None:
    assert "--submission 'submitted/a; reboot/m1/m1.ipynb'" in Page(render_report([made("a; reboot", "U")], "Results")).text


def test_text_is_escaped_wherever_it_stands() -> None:
    evil = "<script>alert(1)</script>"
    finding = Finding(evil, evil, f"{evil} and `{evil}`")
    message = f"Checked: {evil}. Came back: `{evil}`. Expected: {evil}. Hint: {evil}."
    check = CheckResult(evil, evil, 0.0, 1.0, Verdict.FAIL, message)
    undecided = replace(check, verdict=Verdict.UNGRADED)
    one = replace(made(evil), checks=(check,), findings=(finding,), sandbox=evil, assignment=evil)
    two = replace(one, student=f'"{evil}', checks=(undecided,), status="ungraded", assignment="'" + evil)
    text = render_report([one, two], evil)
    assert "<script" not in text.lower()
    assert "&lt;script&gt;" in text
    assert not Page(text).named("script")


def test_the_page_needs_no_network_and_no_script(cohort: list[Result]) -> None:
    text = render_report(cohort, "Results")
    assert not re.search(r"https?://|<script|<link|<img|<iframe|@import|url\(|\son\w+=", text)
    assert all(str(a["href"]).startswith("#") for a in Page(text).named("a"))


def test_the_text_depends_on_nothing_but_the_results(cohort: list[Result]) -> None:
    text = render_report(cohort, "Results")
    shuffled = cohort[:]
    random.Random(3).shuffle(shuffled)
    assert render_report(cohort, "Results") == text == render_report(shuffled, "Results")


def test_seconds_change_no_order(cohort: list[Result]) -> None:
    def order(results: list[Result]) -> list[str]:
        return [row[0] for row in Page(render_report(results, "Results")).rows if row]

    assert order([replace(r, seconds=9.0 - i % 7) for i, r in enumerate(cohort)]) == order(cohort)


def test_an_empty_run_says_so() -> None:
    assert "No submissions were scored" in Page(render_report([], "Results")).text


def test_a_submission_without_checks_gets_advice() -> None:
    assert "No check was asked" in Page(render_report([made("ada", "")], "Results")).text


@pytest.mark.parametrize("sandbox", ["unsandboxed: a forked child", "in this process, without protection", ""])
def test_a_run_without_sandbox_says_unsandboxed_at_the_top(cohort: list[Result], sandbox: str) -> None:
    text = Page(render_report([*cohort, replace(made("zoe"), sandbox=sandbox)], "Results")).text
    assert "1 of 21 submissions ran unsandboxed" in text[: text.index("Ungraded: ")]
    assert "unsandboxed" not in Page(render_report(cohort, "Results")).text


def test_checks_are_listed_hardest_first_and_undecided_ones_are_left_out_of_the_mean() -> None:
    [view] = by_assignment([made("ada", "PFPPU"), made("bob", "FFPUU"), made("cy", "PPPUU")])
    assert [t.check for t in view.hardest] == ["batched", "values", "gradients", "lookup", "claims"]
    assert [t.share for t in view.hardest] == [1 / 3, 2 / 3, 1.0, 1.0, None]
    page = Page(render_report(view.results, "Results"))
    assert page.rows_of("batched")[0][3:] == ["33 %", "", "1", "2", "0"]
    assert page.rows_of("claims")[0][3] == "undecided"


def test_the_grid_has_a_mark_and_a_word_for_every_verdict() -> None:
    page = Page(render_report([made("ada", "PFETM"), made("bob", "XU")], "Results"))
    assert page.rows_of("ada")[1][1:6] == ["•pass", "Ffail", "Eerror", "Ttimeout", "Mmemory"]
    assert page.rows_of("bob")[1][1:4] == ["Xforbidden", "?ungraded", "\xa0not asked"]


def test_hints_are_counted_by_student_and_other_messages_where_they_repeat() -> None:
    results = [made("ada", "FFPPP"), made("bob", "FPEPP"), made("cy", "PPEMP"), made("dan", "UPPPP")]
    assert common_hints(results) == [Mistake(f"{HINT}.", 2, ("batched", "values"))]
    assert common_messages(results) == [Mistake("`attention` raised TypeError.", 2, ("gradients",))]


def test_messages_come_apart_into_their_sentences() -> None:
    told = {"Checked": "a, b.", "Came back": "1.5.", "Expected": "2.", "Hint": "is it so?"}
    assert dict(parts("Checked: a, b. Came back: 1.5. Expected: 2. Hint: is it so?.")) == told
    assert parts(MESSAGES[Verdict.ERROR]) == [("Checked", "the values."), ("Came back", "`attention` raised TypeError.")]
    assert parts("Something else.") == [("", "Something else.")]
    assert parts("") == []


def test_findings_and_details_of_a_student() -> None:
    finding = Finding("duplicated", "attention", "The cell `attention` stands there twice.")
    page = Page(render_report([made("ada", "FPPPP", (finding,)), made("bob")], "Results"))
    assert ["ada", "duplicated", "attention", "The cell attention stands there twice."] in page.rows
    assert "1 of 5 checks not passed" in page.text
    assert "Every check passed." in page.text
    assert len(page.named("details")) == 2


def test_several_assignments_have_a_chart_and_a_grid_each() -> None:
    page = Page(render_report([made("ada"), made("ada", "FPPPP", assignment="m2")], "Results"))
    assert len([s for s in page.named("svg") if s.get("role") == "img"]) == 2
    assert "Assignments: m1, m2" in page.text
    assert [row[1] for row in page.rows_of("ada")[:2]] == ["m1", "m2"]


def test_the_page_can_be_read_by_keyboard_and_screen_reader(cohort: list[Result]) -> None:
    page = Page(render_report(cohort, "Results"))
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert [i for i, level in enumerate(headings) if level == 1] == [0]
    assert all(after <= before + 1 for before, after in pairwise(headings))
    assert len(page.named("caption")) == len(page.named("table")) > 0
    assert all(th.get("scope") in ("col", "row") for th in page.named("th"))
    assert all(svg.get("aria-hidden") == "true" or (svg["role"] == "img" and svg["aria-label"]) for svg in page.named("svg"))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {str(a["href"])[1:] for a in page.named("a")} <= set(ids)
    assert next(a for a in page.named("a"))["href"] == "#main"
    assert page.named("html")[0]["lang"] == "en"


def test_odd_file_names_make_a_page_that_can_be_written() -> None:
    text = render_report([made("bad\udcff\x00\x1b[31mname")], "Results")
    assert "bad\ufffd\ufffd\ufffd[31mname" in text
    text.encode("utf-8")


def test_numbers_say_what_is_certain() -> None:
    assert [number(x) for x in (0.0, 8.5, 20.0, 100.0, 1 / 3)] == ["0", "8.5", "20", "100", "0.33"]
    assert [percent(x) for x in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0 %", "under 1 %", "50 %", "over 99 %", "100 %"]


def printed(results: list[Result]) -> list[str]:
    """The lines of the terminal's table."""
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(render_table(results))
    return console.export_text().splitlines()


def test_the_table_puts_ungraded_submissions_last_with_a_sign(cohort: list[Result]) -> None:
    lines = [line for line in printed(cohort[::-1]) if "student " in line][1:]  # the first is the head
    statuses = ["ungraded" in line for line in lines]
    assert statuses == [False] * 17 + [True] * 3
    assert all(("≥" in line) == ("ungraded" in line) for line in lines)


def test_the_table_names_the_worst_verdicts_first() -> None:
    [line] = [line for line in printed([replace(made("ada", "FFEXP"), manual_points=2.5)]) if "ada" in line]
    for said in ("1 FORBIDDEN, 1 ERROR, 2 FAIL", "1.5 / 10", "2.5"):
        assert said in line


def test_a_name_is_neither_markup_nor_a_terminal_command() -> None:
    text = "\n".join(printed([made("[red]ada[/red]\x1b[2J"), made("bob", assignment="m2")]))
    assert "[red]ada[/red]\ufffd[2J" in text
    assert "\x1b" not in text
    assert "m2" in text


def test_the_cost_of_the_last_run_is_told_and_what_stood_is_no_part_of_it(cohort: list[Result]) -> None:
    slow = replace(cohort[0], seconds=7.5)
    text = Page(render_report(cohort, "Results", cost=cost_of([slow, replace(cohort[1], seconds=0.5)], 3, 4.0))).text
    told = "scored 2 submissions in 4.00 s on the clock (0.5 a second; 4.00 s of grading each on average, 7.50 s the longest"
    assert told in text
    assert f"the longest: {slow.student}" in text
    assert "3 results stood from earlier runs" in text


def test_a_run_in_which_everything_stood_says_so(cohort: list[Result]) -> None:
    text = Page(render_report(cohort, "Results", cost=cost_of([], 1, 0.2))).text
    assert "scored 0 submissions in 0.20 s on the clock. 1 result stood from earlier runs" in text
